#include "tests/reference/naive_attention.h"

#include <cmath>
#include <limits>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/logaddexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "reference/visibility.h"

namespace attncheck::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Leaves {
  at::Tensor q, k, v;                 // by token, these require grad
  at::Tensor q_head, k_head, v_head;  // (B, H, S, D), key heads repeated
};

at::Tensor repeat_heads(const at::Tensor& x, int64_t times) {
  return x.transpose(1, 2).repeat_interleave(times, 1);
}

Leaves leaves(const RandomProblem& p) {
  Leaves l;
  l.q = p.inputs.q.clone().requires_grad_();
  l.k = p.inputs.k.clone().requires_grad_();
  l.v = p.inputs.v.clone().requires_grad_();
  const int64_t group = p.shape.heads / p.shape.kv_heads;
  l.q_head = l.q.transpose(1, 2);
  l.k_head = repeat_heads(l.k, group);
  l.v_head = repeat_heads(l.v, group);
  return l;
}

void differentiate(NaiveResult& result, const Leaves& l, const RandomProblem& p, bool with_lse) {
  std::vector<at::Tensor> outputs{result.out}, cotangents{p.dout};
  if (with_lse) {
    outputs.push_back(result.lse);
    cotangents.push_back(p.dlse);
  }
  const auto gradients = torch::autograd::grad(outputs, {l.q, l.k, l.v}, cotangents);
  result.dq = gradients[0];
  result.dk = gradients[1];
  result.dv = gradients[2];
}

/// Scores of some keys, -inf where hidden. Hidden entries get no gradient.
at::Tensor scores(const Leaves& l, const RandomProblem& p, const at::Tensor& visible, int64_t begin,
                  int64_t length) {
  at::Tensor s = at::matmul(l.q_head, l.k_head.narrow(2, begin, length).transpose(2, 3));
  s = s.mul(p.inputs.scale);
  if (p.inputs.mask.defined() && p.inputs.mask.is_floating_point()) {
    s = s.add(p.inputs.mask.narrow(-1, begin, length).to(s.scalar_type()));
  }
  return s.masked_fill(visible.narrow(3, begin, length).logical_not(), -kInfinity);
}

struct Partial {
  at::Tensor out, lse;  // (B, H, Sq, Dv), (B, H, Sq, 1)
};

/// Rows with no key in the block keep the value 0 and the weight exp(-inf) = 0, and stay out of
/// autograd.
Partial attend(const Leaves& l, const RandomProblem& p, const at::Tensor& visible, int64_t begin,
               int64_t length) {
  const at::Tensor s = scores(l, p, visible, begin, length);
  const at::Tensor empty = visible.narrow(3, begin, length).any(3, true).logical_not();
  const at::Tensor max = s.detach().amax(-1, true).masked_fill(empty, 0);
  const at::Tensor weights = s.sub(max).exp();
  const at::Tensor sum = weights.sum(-1, true).masked_fill(empty, 1);
  return {at::matmul(weights.div(sum), l.v_head.narrow(2, begin, length)),
          sum.log().add(max).masked_fill(empty, -kInfinity)};
}

Partial merge(const Partial& a, const Partial& b) {
  const at::Tensor lse = at::logaddexp(a.lse, b.lse);
  const at::Tensor empty = lse.detach().eq(-kInfinity);
  const auto weight = [&](const at::Tensor& part) {
    return part.sub(lse.masked_fill(empty, 0)).exp();
  };
  return {a.out.mul(weight(a.lse)).add(b.out.mul(weight(b.lse))), lse};
}

Partial merge_by_sigmoid(const Partial& a, const Partial& b) {
  const at::Tensor share = at::sigmoid(b.lse.sub(a.lse));
  return {a.out.sub(share.mul(a.out.sub(b.out))), a.lse.sub(at::log_sigmoid(a.lse.sub(b.lse)))};
}

/// The op adds its mask, whatever the dtype: a bool mask has to be turned into 0 and -inf first.
std::optional<at::Tensor> additive_mask(const RandomProblem& p) {
  const at::ScalarType dtype = p.inputs.q.scalar_type();
  if (p.inputs.mask.defined() && p.inputs.mask.is_floating_point()) return p.inputs.mask.to(dtype);
  if (!p.inputs.diagonal && !p.inputs.mask.defined()) return std::nullopt;
  const at::Tensor visible = visibility(p.inputs);
  return at::zeros_like(visible, dtype).masked_fill_(visible.logical_not(), -kInfinity);
}

}  // namespace

NaiveResult blockwise_attention(const RandomProblem& p, int64_t merges, MergeForm form) {
  const Leaves l = leaves(p);
  const at::Tensor visible = visibility(p.inputs);
  const int64_t keys = p.shape.kv_len;
  Partial whole;
  for (int64_t r = 0; r < merges; ++r) {
    const int64_t begin = keys * r / merges, end = keys * (r + 1) / merges;
    if (begin == end) continue;
    const Partial part = attend(l, p, visible, begin, end - begin);
    const auto merged = form == MergeForm::kSigmoid ? merge_by_sigmoid : merge;
    whole = whole.out.defined() ? merged(whole, part) : part;
  }
  NaiveResult result{whole.out.transpose(1, 2), whole.lse.squeeze(-1).transpose(1, 2), {}, {}, {}};
  differentiate(result, l, p, true);
  return result;
}

NaiveResult sdpa_math(const RandomProblem& p) {
  const Leaves l = leaves(p);
  const auto attended = at::_scaled_dot_product_attention_math(
      l.q_head, l.k_head, l.v_head, additive_mask(p), 0.0, false, std::nullopt, p.inputs.scale);
  NaiveResult result;
  result.out = std::get<0>(attended).transpose(1, 2);
  differentiate(result, l, p, false);
  return result;
}

NaiveResult fused_narrow_attention(const RandomProblem& p) {
  const at::ScalarType narrow = p.inputs.q.scalar_type();
  const at::NoGradGuard no_grad;
  const auto rounded = [&](const at::Tensor& x) { return x.to(narrow).to(at::kFloat); };
  Leaves l = leaves(p);
  for (at::Tensor* x : {&l.q_head, &l.k_head, &l.v_head}) *x = x->to(at::kFloat);
  const at::Tensor s = scores(l, p, visibility(p.inputs), 0, p.shape.kv_len);
  const at::Tensor max = s.amax(-1, true).clamp_min(std::numeric_limits<float>::lowest());
  const at::Tensor weights = s.sub(max).exp(), sum = weights.sum(-1, true);
  const at::Tensor lse = sum.log().add(max);
  const at::Tensor out = at::matmul(rounded(weights), l.v_head).div(sum.clamp_min(1));
  const at::Tensor probability = weights.div(sum.clamp_min(1));
  const at::Tensor dout = p.dout.transpose(1, 2).to(at::kFloat);
  const at::Tensor dlse = p.dlse.transpose(1, 2).unsqueeze(-1);
  const at::Tensor delta = dout.mul(rounded(out)).sum(-1, true).sub(dlse);
  const at::Tensor dp = at::matmul(dout, l.v_head.transpose(2, 3));
  const at::Tensor ds = rounded(probability.mul(dp.sub(delta)).mul(p.inputs.scale));
  const auto by_key = [&](const at::Tensor& x) {
    const int64_t group = p.shape.heads / p.shape.kv_heads;
    return x.unflatten(1, {p.shape.kv_heads, group}).sum(2).transpose(1, 2).to(narrow);
  };
  return {out.transpose(1, 2).to(narrow), lse.squeeze(-1).transpose(1, 2),
          at::matmul(ds, l.k_head).transpose(1, 2).to(narrow),
          by_key(at::matmul(ds.transpose(2, 3), l.q_head)),
          by_key(at::matmul(rounded(probability).transpose(2, 3), dout))};
}

NaiveResult flash_for_cpu(const RandomProblem& p) {
  const at::NoGradGuard no_grad;
  const Leaves l = leaves(p);
  const auto mask = additive_mask(p);
  const auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
      l.q_head, l.k_head, l.v_head, 0.0, false, mask, p.inputs.scale);
  const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      p.dout.transpose(1, 2), l.q_head, l.k_head, l.v_head, out, lse, 0.0, false, mask,
      p.inputs.scale);
  const auto by_key = [&](const at::Tensor& x) {
    const int64_t group = p.shape.heads / p.shape.kv_heads;
    return x.unflatten(1, {p.shape.kv_heads, group}).sum(2).transpose(1, 2);
  };
  return {out.transpose(1, 2), lse.transpose(1, 2), dq.transpose(1, 2), by_key(dk), by_key(dv)};
}

}  // namespace attncheck::reference

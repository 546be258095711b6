#include "impl/backends/cudnn_emulated_kernel.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/ones.h>

#include "impl/backends/visibility.h"

namespace attncheck::cudnn {
namespace {

void check_operand(const char* name, const at::Tensor& x, at::ScalarType type) {
  TORCH_CHECK(x.scalar_type() == type && (type == at::kHalf || type == at::kBFloat16),
              "cuDNN takes float16 or bfloat16, all of one dtype: ", name, " is ", x.scalar_type());
  TORCH_CHECK(x.dim() == 4, "cuDNN takes (B, H, S, D): ", name, " is ", x.sizes());
  const int64_t d = x.size(3);
  TORCH_CHECK(d % kHeadDimMultiple == 0, "cuDNN takes a head_dim that is a multiple of ",
              kHeadDimMultiple, ": that of ", name, " is ", d);
  TORCH_CHECK(d <= kGreatestHeadDim, "cuDNN takes a head_dim of at most ", kGreatestHeadDim,
              ": that of ", name, " is ", d);
  TORCH_CHECK(x.stride(3) == 1, "cuDNN takes a last stride of 1: that of ", name, " is ",
              x.stride(3));
}

void check(const Arguments& a) {
  const at::ScalarType type = a.q.scalar_type();
  check_operand("q", a.q, type);
  check_operand("k", a.k, type);
  check_operand("v", a.v, type);
  const bool fit = a.q.size(0) == a.k.size(0) && a.q.size(0) == a.v.size(0) &&
                   a.q.size(3) == a.k.size(3) && a.k.size(2) == a.v.size(2) &&
                   a.k.size(1) == a.v.size(1) && a.q.size(1) % a.k.size(1) == 0;
  TORCH_CHECK(fit, "q, k and v do not fit together: ", a.q.sizes(), ", ", a.k.sizes(), ", ",
              a.v.sizes());
  TORCH_CHECK(!a.attn_bias.defined() || a.attn_bias.scalar_type() == type,
              "cuDNN takes a bias of q's dtype, ", type, ": it is ", a.attn_bias.scalar_type());
}

// Operands as batches of matrices, one for each KV head, the queries of its G heads below each
// other. n = B Hkv.
class Folding {
 public:
  explicit Folding(const Arguments& a)
      : batch_(a.q.size(0)), heads_(a.q.size(1)), kv_heads_(a.k.size(1)), rows_(a.q.size(2)) {}

  // (B, H, Sq, D) -> (n, G Sq, D) and (B, Hkv, Skv, D) -> (n, Skv, D), float32.
  at::Tensor fold(const at::Tensor& x) const {
    return x.to(at::kFloat).reshape({batch_ * kv_heads_, -1, x.size(3)});
  }

  // (n, G Sq, D) -> (B, H, Sq, D)
  at::Tensor queries(const at::Tensor& x) const {
    return x.view({batch_, heads_, rows_, x.size(2)});
  }

  // (n, Skv, D) -> (B, Hkv, Skv, D)
  at::Tensor keys(const at::Tensor& x) const {
    return x.view({batch_, kv_heads_, x.size(1), x.size(2)});
  }

 private:
  int64_t batch_, heads_, kv_heads_, rows_;
};

// scale q.k + bias, -inf where causality hides: (n, G Sq, Skv).
at::Tensor scores_of(const Folding& folding, const Arguments& a) {
  at::Tensor scores = at::bmm(folding.fold(a.q), folding.fold(a.k).transpose(1, 2)).mul_(a.scale);
  at::Tensor by_head = folding.queries(scores);
  if (a.attn_bias.defined()) by_head.add_(a.attn_bias);
  if (a.is_causal) {
    const auto shape = {a.q.size(2), a.k.size(2)};
    by_head.masked_fill_(at::ones(shape, by_head.options().dtype(at::kBool)).triu(1), -kInfinity);
  }
  return scores;
}

// To the dtype of the operands and back, as an operand of a product is.
at::Tensor rounded(const at::Tensor& x, const Arguments& a) {
  return x.to(a.q.scalar_type()).to(at::kFloat);
}

}  // namespace

Output forward(const Arguments& a, LseShape lse_shape) {
  check(a);
  const Folding folding(a);
  at::Tensor p = scores_of(folding, a);
  const at::Tensor top = p.amax(-1, /*keepdim=*/true);
  p.sub_(top).exp_();
  const at::Tensor sum = p.sum(-1, /*keepdim=*/true);
  at::Tensor out = at::bmm(rounded(p, a), folding.fold(a.v)).div_(sum);
  at::Tensor lse = sum.log().add_(top).masked_fill_(top == -kInfinity, -kInfinity);
  lse = folding.queries(lse);
  return {folding.queries(out).to(a.q.scalar_type()),
          lse_shape == LseShape::BHS1 ? lse : lse.squeeze(-1)};
}

Gradients backward(const at::Tensor& grad_out, const Arguments& a, const at::Tensor& out,
                   const at::Tensor& log_sumexp, LseShape lse_shape) {
  check(a);
  check_operand("out", out, a.q.scalar_type());
  check_operand("grad_out", grad_out, a.q.scalar_type());
  TORCH_CHECK(a.q.size(2) > 1 || a.k.size(2) > 1,
              "cuDNN's backward does not take one query with one key");
  std::vector<int64_t> shape{a.q.size(0), a.q.size(1), a.q.size(2)};
  if (lse_shape == LseShape::BHS1) shape.push_back(1);
  TORCH_CHECK(log_sumexp.sizes() == shape && log_sumexp.scalar_type() == at::kFloat,
              "cuDNN's backward wants a float32 log_sumexp of shape ", at::IntArrayRef(shape),
              ": it is ", log_sumexp.scalar_type(), " of shape ", log_sumexp.sizes());
  const Folding folding(a);
  const at::Tensor q = folding.fold(a.q), k = folding.fold(a.k), v = folding.fold(a.v);
  const at::Tensor grad = folding.fold(grad_out);
  const at::Tensor lse = log_sumexp.reshape({k.size(0), q.size(1), 1});
  const at::Tensor p = scores_of(folding, a).sub_(lse).exp_();
  const at::Tensor delta = (grad * folding.fold(out)).sum(-1, /*keepdim=*/true);
  const at::Tensor ds = rounded(at::bmm(grad, v.transpose(1, 2)).sub_(delta).mul_(p), a);
  const at::Tensor dv = at::bmm(rounded(p, a).transpose(1, 2), grad);
  const at::Tensor dq = at::bmm(ds, k).mul_(a.scale);
  const at::Tensor dk = at::bmm(ds.transpose(1, 2), q).mul_(a.scale);
  const auto narrow = [&](const at::Tensor& x) { return x.to(a.q.scalar_type()); };
  return {narrow(folding.queries(dq)), narrow(folding.keys(dk)), narrow(folding.keys(dv))};
}

}  // namespace attncheck::cudnn

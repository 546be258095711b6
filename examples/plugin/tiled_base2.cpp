// A backend as fused kernels are: it walks the keys tile by tile with a running maximum and a
// running sum, in powers of two, and returns its log-sum-exp in that base and as (B, H, Sq). Its
// contract says so, and the properties hold it to that.

#include <algorithm>
#include <numbers>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"
#include "parts.h"

using namespace attncheck;

namespace {

constexpr int64_t kTile = 3;  // keys
constexpr double kLog2E = std::numbers::log2e;

// (B, S, H, D) <-> (B, H, S, D), computed in the wide dtype.
at::Tensor by_head(const at::Tensor& x) {
  return x.to(lse_scalar_type(x.scalar_type())).transpose(1, 2);
}
at::Tensor like(const at::Tensor& given, const at::Tensor& x) {
  return x.transpose(1, 2).to(given.scalar_type());
}

// Scores as exponents of two, -inf where hidden: (B, H, Sq, Skv).
at::Tensor exponents(const BackendInputs& block) {
  const at::Tensor scores =
      at::matmul(by_head(block.q), by_head(block.k).transpose(2, 3)) * block.scale;
  const at::Tensor mask = additive_mask(block, scores.scalar_type());
  return (mask.defined() ? scores + mask : scores) * kLog2E;
}

BackendForward forward(const BackendInputs& block) {
  const c10::AutoGradMode no_graph(false);
  const at::Tensor scores = exponents(block), v = by_head(block.v);
  const int64_t batch = v.size(0), heads = v.size(1), rows = scores.size(2);
  at::Tensor top = at::full({batch, heads, rows, 1}, -kInfinity, v.options());
  at::Tensor sum = at::zeros({batch, heads, rows, 1}, v.options());
  at::Tensor out = at::zeros({batch, heads, rows, v.size(3)}, v.options());
  for (int64_t key = 0; key < scores.size(3); key += kTile) {
    const int64_t keys = std::min(kTile, scores.size(3) - key);
    const at::Tensor tile = scores.narrow(3, key, keys);
    const at::Tensor higher = at::maximum(top, tile.amax(3, true));
    const at::Tensor from = higher.masked_fill(higher == -kInfinity, 0.0);  // nothing seen yet
    const at::Tensor shrink = (top - from).exp2(), p = (tile - from).exp2();
    sum = sum * shrink + p.sum(3, true);
    out = out * shrink + at::matmul(p, v.narrow(2, key, keys));
    top = higher;
  }
  out = out / sum.masked_fill(sum == 0, 1.0);
  return {like(block.q, out), (sum.log2() + top).squeeze(3), {}, {}};
}

BackendGrads backward(const BackendBackward& call) {
  const c10::AutoGradMode no_graph(false);
  const BackendInputs& block = call.block;
  const auto rows = [](const at::Tensor& x) { return by_head(x.unsqueeze(3)); };
  const at::Tensor grad = by_head(call.grad_out);
  const at::Tensor p = (exponents(block) - rows(lse_for_backward(call)) * kLog2E).exp2();
  at::Tensor delta = (grad * by_head(call.out)).sum(3, true);
  if (call.grad_lse.defined()) delta = delta - rows(call.grad_lse);
  const at::Tensor ds = (at::matmul(grad, by_head(block.v).transpose(2, 3)) - delta) * p;
  return {like(block.q, at::matmul(ds, by_head(block.k)) * block.scale),
          like(block.k, at::matmul(ds.transpose(2, 3), by_head(block.q)) * block.scale),
          like(block.v, at::matmul(p.transpose(2, 3), grad))};
}

}  // namespace

Backend tiled_base2() {
  Backend backend;
  backend.name = "tiled_base2";
  backend.contract.lse_base = 2.0;
  backend.contract.lse_shape = LseShape::BHS;
  backend.contract.takes_grad_lse = true;
  backend.contract.grouped_heads = false;
  backend.supports = [](const Problem& p) {
    if (p.heads == p.kv_heads) return Support::yes();
    return Support::no("tiled_base2 has one KV head for each head: use hkv=h");
  };
  backend.forward = forward;
  backend.backward = backward;
  return backend;
}

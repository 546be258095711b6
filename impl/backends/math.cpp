#include "impl/backends/math.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/bmm.h>

#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

at::Tensor cast(const at::Tensor& x, at::ScalarType type) {
  return x.scalar_type() == type ? x : x.to(type);
}

// A block as batches of matrices: one for each KV head, the queries of its G heads below each
// other. n = B Hkv.
class Matrices {
 public:
  explicit Matrices(const BackendInputs& block)
      : batch_(block.q.size(0)),
        kv_heads_(block.k.size(2)),
        group_(block.q.size(2) / block.k.size(2)),
        q_len_(block.q.size(1)),
        type_(lse_scalar_type(block.q.scalar_type())) {}

  // (B, Sq, H, D) -> (n, G Sq, D)
  at::Tensor of_queries(const at::Tensor& x) const {
    if (group_ == 1) return of_keys(x);
    const int64_t d = x.size(3);
    return cast(x, type_)
        .unflatten(2, {kv_heads_, group_})
        .permute({0, 2, 3, 1, 4})
        .reshape({batch_ * kv_heads_, group_ * q_len_, d});
  }

  // (B, Skv, Hkv, D) -> (n, Skv, D)
  at::Tensor of_keys(const at::Tensor& x) const {
    return cast(x, type_).transpose(1, 2).reshape({batch_ * kv_heads_, x.size(1), x.size(3)});
  }

  // (B, Sq, H) -> (n, G Sq, 1)
  at::Tensor of_rows(const at::Tensor& x) const { return of_queries(x.unsqueeze(-1)); }

  // (n, G Sq, D) -> (B, Sq, H, D)
  at::Tensor queries(const at::Tensor& x, at::ScalarType type) const {
    return cast(x.view({batch_, kv_heads_ * group_, q_len_, x.size(2)}).transpose(1, 2), type);
  }

  // (n, Skv, D) -> (B, Skv, Hkv, D)
  at::Tensor keys(const at::Tensor& x, at::ScalarType type) const {
    return cast(x.view({batch_, kv_heads_, x.size(1), x.size(2)}).transpose(1, 2), type);
  }

  // (n, G Sq, 1) -> (B, H, Sq)
  at::Tensor rows_bhs(const at::Tensor& x) const {
    return x.view({batch_, kv_heads_ * group_, q_len_});
  }

  // scores (n, G Sq, Skv) += mask, broadcastable to (B, H, Sq, Skv)
  void add_mask(at::Tensor& scores, const at::Tensor& mask) const {
    scores.view({batch_, kv_heads_ * group_, q_len_, scores.size(2)}).add_(mask);
  }

  at::ScalarType type() const { return type_; }

 private:
  int64_t batch_, kv_heads_, group_, q_len_;
  at::ScalarType type_;
};

// scale q.k + mask, -inf where hidden: (n, G Sq, Skv).
at::Tensor masked_scores(const Matrices& matrices, const at::Tensor& q, const at::Tensor& k,
                         const BackendInputs& block) {
  at::Tensor scores = at::bmm(q, k.transpose(1, 2)).mul_(block.scale);
  const at::Tensor mask = additive_mask(block, matrices.type());
  if (mask.defined()) matrices.add_mask(scores, mask);
  return scores;
}

BackendForward math_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const Matrices m(block);
  at::Tensor p = masked_scores(m, m.of_queries(block.q), m.of_keys(block.k), block);
  at::Tensor top = p.amax(-1, /*keepdim=*/true);
  const bool empty_rows = may_have_empty_rows(block);
  if (empty_rows) top.masked_fill_(top == -kInfinity, 0.0);
  p.sub_(top).exp_();
  at::Tensor sum = p.sum(-1, /*keepdim=*/true);
  const at::Tensor lse = sum.log().add_(top);
  if (empty_rows) sum.clamp_min_(1.0);  // a row that sees a key has a term exp(0)
  at::Tensor out = at::bmm(p, m.of_keys(block.v)).div_(sum);
  return {m.queries(out, block.q.scalar_type()), m.rows_bhs(lse), {}, {}};
}

BackendGrads math_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const BackendInputs& block = call.block;
  const Matrices m(block);
  const at::Tensor q = m.of_queries(block.q), k = m.of_keys(block.k), v = m.of_keys(block.v);
  const at::Tensor grad_out = m.of_queries(call.grad_out);
  at::Tensor p = masked_scores(m, q, k, block);
  p.sub_(m.of_rows(lse_for_backward(call))).exp_();
  const at::Tensor dv = at::bmm(p.transpose(1, 2), grad_out);
  at::Tensor delta = (grad_out * m.of_queries(call.out)).sum(-1, /*keepdim=*/true);
  if (call.grad_lse.defined()) delta.sub_(m.of_rows(call.grad_lse));
  at::Tensor ds = at::bmm(grad_out, v.transpose(1, 2)).sub_(delta).mul_(p).mul_(block.scale);
  const at::Tensor dq = at::bmm(ds, k), dk = at::bmm(ds.transpose(1, 2), q);
  return {m.queries(dq, block.q.scalar_type()), m.keys(dk, block.k.scalar_type()),
          m.keys(dv, block.v.scalar_type())};
}

}  // namespace

Backend math_backend() {
  Backend backend;
  backend.name = "math";
  backend.contract.lse_shape = LseShape::BHS;
  backend.contract.lse_memory = MemoryOrder::as_shaped;
  backend.contract.takes_grad_lse = true;
  backend.supports = [](const Problem&) { return Support::yes(); };
  backend.forward = math_forward;
  backend.backward = math_backward;
  return backend;
}

}  // namespace attncheck

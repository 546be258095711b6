#include "reference/bounds_pass.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "reference/roundoff.h"
#include "reference/visibility.h"

namespace attncheck::reference {
namespace {

at::Tensor largest_norm(const at::Tensor& vectors) {  // (N, S, D) -> (N, 1, 1)
  if (vectors.size(1) == 0) return at::zeros({vectors.size(0), 1, 1}, at::kDouble);
  return vectors.norm(2, {2}, true).amax(1, true);
}

at::Tensor largest_by_channel(const at::Tensor& sizes) {  // (N, S, D), of >= 0 -> (N, 1, D)
  if (sizes.size(1) == 0) return at::zeros({sizes.size(0), 1, sizes.size(2)}, at::kDouble);
  return sizes.amax(1, true);
}

double merge_roundoff(const BoundContext& context) {
  const double u_acc = unit_roundoff(context.accumulation);
  const double u_sum = context.narrow_sums ? std::max(unit_roundoff(context.io), u_acc) : u_acc;
  return u_sum * static_cast<double>(std::max<int64_t>(context.merges - 1, 0));
}

double narrow_roundoff(const BoundContext& context) {
  const double u_io = unit_roundoff(context.io);
  return u_io > unit_roundoff(context.accumulation) ? u_io : 0;
}

double product_roundoff(const BoundContext& context) {
  const int64_t merges = context.narrow_sums ? std::max<int64_t>(context.merges, 1) : 1;
  return narrow_roundoff(context) * static_cast<double>(merges) + context.exp_error;
}

double least_probability(const BoundContext& context) {
  const double exp_flushed =
      smallest_normal(context.accumulation) / unit_roundoff(context.accumulation);
  const double rounded_away = smallest_subnormal(context.io) / unit_roundoff(context.io);
  return narrow_roundoff(context) > 0 ? std::max(exp_flushed, rounded_away) : exp_flushed;
}

}  // namespace

BoundsPass::BoundsPass(const RowBlocks& blocks, const BoundContext& context, bool with_gradients)
    : blocks_(blocks),
      context_(context),
      u_acc_(unit_roundoff(context.accumulation)),
      u_p_(product_roundoff(context)),
      least_probability_(least_probability(context)),
      abs_v_(blocks.v().abs()),
      merge_error_(largest_by_channel(abs_v_).mul_(merge_roundoff(context))),
      largest_k_(largest_norm(blocks.k())) {
  const Sizes& n = blocks.sizes();
  kappa_.out = at::empty({n.batch, n.q_len, n.heads, n.value_dim}, at::kDouble);
  kappa_.lse = at::empty({n.batch, n.q_len, n.heads}, at::kDouble);
  if (!with_gradients) return;
  abs_k_ = blocks.k().abs();
  largest_v_ = largest_norm(blocks.v());
  kappa_.dq = at::empty({n.batch, n.q_len, n.heads, n.head_dim}, at::kDouble);
  kappa_.dk = at::zeros_like(blocks.k());
  kappa_.dv = at::zeros_like(blocks.v());
}

at::Tensor BoundsPass::row_error(const RowBlock& block) const {
  const Sizes& n = blocks_.sizes();
  at::Tensor largest_score = block.row_max.abs();
  if (blocks_.rows_may_be_empty()) largest_score.masked_fill_(block.lse.eq(-kInfinity), 0);
  largest_score.mul_(std::sqrt(static_cast<double>(n.head_dim)));
  const at::Tensor norms = block.q.norm(2, {2}, true).mul_(largest_k_);
  const double sums = std::sqrt(static_cast<double>(n.kv_len));
  return at::maximum(largest_score, norms.mul_(std::abs(blocks_.scale())))
      .add_(sums + static_cast<double>(std::max<int64_t>(context_.merges, 1)));
}

void BoundsPass::add_forward(const RowBlock& block) {
  probability_ = block.probability.add(least_probability_);
  error_ = row_error(block);
  abs_out_ = at::bmm(probability_, abs_v_);
  blocks_.put(abs_out_.mul(error_.mul(u_acc_).add_(u_p_)).add_(merge_error_), block.begin,
              kappa_.out);
  blocks_.put(error_.mul(u_acc_), block.begin, kappa_.lse.unsqueeze(-1));
}

void BoundsPass::add_gradients(const RowBlock& block, const RowCotangents& row) {
  const Sizes& n = blocks_.sizes();
  const double rows = static_cast<double>(n.q_len * n.group());
  const double more = std::sqrt(static_cast<double>(n.value_dim)) + std::sqrt(rows);
  const at::Tensor relative = error_.add(more).mul_(u_acc_).add_(u_p_);
  at::Tensor absolute = at::zeros_like(relative);
  if (row.dlse.defined()) absolute.add_(row.dlse.abs(), u_acc_ + u_p_);
  if (row.dout.defined()) {
    const at::Tensor abs_dout = row.dout.abs();
    kappa_.dv.baddbmm_(probability_.transpose(1, 2), abs_dout.mul(relative));
    absolute.add_(row.dout.norm(2, {2}, true).mul_(largest_v_), u_acc_);
    absolute.add_(abs_dout.mul(abs_out_).sum(-1, true).mul_(relative));
    absolute.add_(abs_dout.mul(merge_error_).sum(-1, true));
  }
  const at::Tensor ds = row.bracket.abs().mul_(relative).add_(absolute).mul_(probability_);
  ds.add_(narrow_roundoff(context_) > 0 ? smallest_subnormal(context_.io)
                                        : smallest_normal(context_.accumulation));
  const double scale = std::abs(blocks_.scale());
  blocks_.put(at::bmm(ds, abs_k_).mul_(scale), block.begin, kappa_.dq);
  kappa_.dk.baddbmm_(ds.transpose(1, 2), block.q.abs(), 1, scale);
}

at::Tensor BoundsPass::finished(const at::Tensor& kappa, double factor, const at::Tensor& reference,
                                c10::ScalarType dtype) const {
  const double floor = smallest_subnormal(dtype) + smallest_normal(context_.accumulation);
  return reference.abs().mul_(unit_roundoff(dtype)).add_(kappa, factor).add_(floor);
}

Bounds BoundsPass::finish(const Forward& forward, const Gradients& gradients) const {
  const BoundFactors& c = kBoundFactors;
  Bounds bounds;
  bounds.out = finished(kappa_.out, c.out, forward.out, context_.io);
  bounds.lse = finished(kappa_.lse, c.lse, forward.lse, context_.accumulation);
  bounds.lse.add_(context_.exp_error);
  if (blocks_.rows_may_be_empty()) {
    bounds.lse.masked_fill_(bounds.lse.eq(kInfinity), smallest_normal(context_.accumulation));
  }
  if (!gradients.dq.defined()) return bounds;
  bounds.dq = finished(kappa_.dq, c.dq, gradients.dq, context_.io);
  bounds.dk = finished(blocks_.keys_by_token(kappa_.dk), c.dk, gradients.dk, context_.io);
  bounds.dv = finished(blocks_.keys_by_token(kappa_.dv), c.dv, gradients.dv, context_.io);
  return bounds;
}

}  // namespace attncheck::reference

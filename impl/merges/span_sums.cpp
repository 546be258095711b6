#include "impl/merges/span_sums.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

Partial rows_of(const Partial& block, const Span& rows) {
  return {block.out.narrow(1, rows.begin, rows.length),
          block.lse.defined() ? block.lse.narrow(1, rows.begin, rows.length) : at::Tensor()};
}

}  // namespace

at::Tensor tokens_of(const at::Tensor& x, const Span& span) {
  return x.size(1) == span.length ? x : x.narrow(1, span.begin, span.length);
}

at::Tensor cast(const at::Tensor& x, at::ScalarType type) {
  return x.scalar_type() == type ? x : x.to(type);
}

void MergedParts::add(const Span& queries, const at::Tensor& out, const at::Tensor& lse) {
  const Partial block{cast(out, out_type_), lse};
  int64_t covered = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const int64_t begin = parts_[i].begin - queries.begin, length = parts_[i].length;
    if (begin < 0 || begin + length > queries.length) continue;
    covered += length;
    const bool all = length == queries.length;
    merge_in(i, all ? block : rows_of(block, {begin, length}));
  }
  TORCH_CHECK(covered == queries.length, "a block of ", queries.length, " queries from place ",
              queries.begin, " on has not the size of whole parts");
}

void MergedParts::merge_in(size_t part, const Partial& partial) {
  std::optional<Partial>& merged = merged_[part];
  TORCH_CHECK(!merged || partial.lse.defined(),
              "two blocks of the same queries have no "
              "log-sum-exp to be merged by");
  merged = merged ? merge_(*merged, partial) : partial;
}

Partial MergedParts::whole(const at::Tensor& q, int64_t v_head_dim) const {
  if (merged_.size() == 1 && merged_[0]) return *merged_[0];
  const auto empty = [&](int64_t begin, int64_t length) {
    return empty_partial(q.narrow(1, begin, length), v_head_dim, out_type_,
                         lse_scalar_type(q.scalar_type()));
  };
  if (merged_.empty()) return empty(0, 0);
  std::vector<at::Tensor> outs, lses;
  for (size_t i = 0; i < merged_.size(); ++i) {
    const Partial part = merged_[i] ? *merged_[i] : empty(parts_[i].begin, parts_[i].length);
    outs.push_back(part.out);
    if (part.lse.defined()) lses.push_back(part.lse);
  }
  return {at::cat(outs, 1), lses.size() == outs.size() ? at::cat(lses, 1) : at::Tensor()};
}

void SpanSum::add(const Span& span, const at::Tensor& grad) {
  if (span.length == like_.size(1)) {
    sum_ = sum_.defined() ? sum_ + grad : cast(grad, type_);
    return;
  }
  if (!sum_.defined()) sum_ = zeros();
  sum_.narrow(1, span.begin, span.length).add_(grad);
}

at::Tensor SpanSum::sum() const {
  return sum_.defined() ? sum_ : zeros();
}

at::Tensor SpanSum::zeros() const {
  return at::zeros(like_.sizes(), like_.options().dtype(type_));
}

}  // namespace attncheck

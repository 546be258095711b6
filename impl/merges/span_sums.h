#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/layouts/blocks.h"
#include "impl/merges/merge.h"

namespace attncheck {

// x (B, S, ...) of the span's tokens: x itself where these are all.
at::Tensor tokens_of(const at::Tensor& x, const Span& span);

// x in another dtype; x itself where it has that one.
at::Tensor cast(const at::Tensor& x, at::ScalarType type);

// How two partial results become one: Merge::apply.
using MergeTwo = std::function<Partial(const Partial&, const Partial&)>;

// Attention of a rank's queries, each part merged from the blocks that it has: what it has so far,
// and the next block. Blocks without a log-sum-exp do where no part has two.
class MergedParts {
 public:
  MergedParts(std::vector<Span> parts, at::ScalarType out_type, MergeTwo merge_two = merge)
      : parts_(std::move(parts)),
        merged_(parts_.size()),
        out_type_(out_type),
        merge_(std::move(merge_two)) {}
  // Of a block of one part's queries, or of several whole parts'.
  void add(const Span& queries, const at::Tensor& out, const at::Tensor& lse);
  // Of all queries q (B, Sq, H, D); (0, -inf) where a part had no block. The lse is undefined where
  // that of a block is.
  Partial whole(const at::Tensor& q, int64_t v_head_dim) const;

 private:
  void merge_in(size_t part, const Partial& partial);

  std::vector<Span> parts_;
  std::vector<std::optional<Partial>> merged_;
  at::ScalarType out_type_;
  MergeTwo merge_;
};

// The sum of blocks' gradients of one tensor (B, S, H, D), of which each block has a span.
class SpanSum {
 public:
  SpanSum(const at::Tensor& like, at::ScalarType type) : like_(like), type_(type) {}
  void add(const Span& span, const at::Tensor& grad);
  // Zeros where nothing was added.
  at::Tensor sum() const;

 private:
  at::Tensor zeros() const;

  at::Tensor like_, sum_;
  at::ScalarType type_;
};

}  // namespace attncheck

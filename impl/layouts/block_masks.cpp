#include "impl/layouts/block_masks.h"

#include <limits>
#include <numeric>

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

namespace attncheck {
namespace {

constexpr int64_t kQueries = 2, kKeys = 3;  // axes of (B, H, Sq, Skv)

// `seen` (Sq, Skv) bool. Undefined ones hide nothing.
at::Tensor joined(const at::Tensor& mask, const at::Tensor& seen) {
  if (!seen.defined()) return mask;
  if (!mask.defined()) return seen.unsqueeze(0).unsqueeze(0);
  const at::Tensor there = seen.to(mask.device());
  if (mask.scalar_type() == at::kBool) return mask.logical_and(there);
  return mask.masked_fill(there.logical_not(), -std::numeric_limits<double>::infinity());
}

// (Sq, Skv) bool: key j is seen by query i iff j >= i + lower. Undefined where that hides nothing.
at::Tensor above(std::optional<int64_t> lower, int64_t q_len, int64_t kv_len) {
  if (!lower || *lower <= 1 - q_len) return {};
  return at::ones({q_len, kv_len}, at::kBool).triu(*lower);
}

// (S): the number of each token's document.
at::Tensor document_numbers(const std::vector<int64_t>& documents) {
  std::vector<int64_t> numbers;
  for (size_t number = 0; number < documents.size(); ++number) {
    numbers.insert(numbers.end(), documents[number], static_cast<int64_t>(number));
  }
  return at::tensor(numbers, at::kLong);
}

at::Tensor same_document(const std::vector<int64_t>& documents) {
  if (documents.size() < 2) return {};
  const at::Tensor numbers = document_numbers(documents);
  return numbers.unsqueeze(1).eq(numbers.unsqueeze(0));
}

std::vector<int64_t> shape_of(const AttentionOptions& options, const at::Tensor& q) {
  const int64_t batch = q.size(0), keys = options.kv_len + options.joint.tokens;
  switch (options.mask_axes) {
    case MaskAxes::bk:
      return {batch, keys};
    case MaskAxes::b11k:
      return {batch, 1, 1, keys};
    case MaskAxes::b1qk:
      return {batch, 1, q.size(1), keys};
    case MaskAxes::bhqk:
      return {batch, q.size(2), q.size(1), keys};
  }
  return {};
}

}  // namespace

AttentionOptions with_checked_mask(const AttentionOptions& options, const at::Tensor& q) {
  const at::Tensor& mask = options.mask;
  if (!mask.defined()) return options;
  const std::vector<int64_t> expected = shape_of(options, q);
  TORCH_CHECK(mask.sizes() == at::IntArrayRef(expected), "the mask has shape ", mask.sizes(),
              ", expected ", at::IntArrayRef(expected), ": this rank's queries and all keys");
  TORCH_CHECK(mask.scalar_type() == at::kBool || mask.scalar_type() == q.scalar_type(),
              "the mask is ", mask.scalar_type(), ", expected bool or the dtype of q, ",
              q.scalar_type());
  TORCH_CHECK(!mask.requires_grad(), "the mask requires grad, but gets none: detach it");
  AttentionOptions checked = options;
  if (mask.dim() == 2) checked.mask = mask.unsqueeze(1).unsqueeze(1);
  return checked;
}

std::vector<int64_t> positions_of(const Strands& strands) {
  std::vector<int64_t> tokens;
  for (const Strand& strand : strands) {
    for (int64_t i = 0; i < strand.length; ++i) {
      tokens.push_back(strand.offset + i * strand.stride);
    }
  }
  return tokens;
}

std::vector<int64_t> with_joint_keys(std::vector<int64_t> keys, const AttentionOptions& options) {
  const Joint& joint = options.joint;
  if (joint.tokens == 0) return keys;
  const bool in_front = joint.place == JointPlace::front;
  for (int64_t& key : keys) key += in_front ? joint.tokens : 0;
  std::vector<int64_t> first(joint.tokens);
  std::iota(first.begin(), first.end(), in_front ? 0 : options.kv_len);
  keys.insert(in_front ? keys.begin() : keys.end(), first.begin(), first.end());
  return keys;
}

at::Tensor mask_columns(const at::Tensor& mask, const std::vector<int64_t>& keys) {
  if (!mask.defined()) return mask;
  return mask.index_select(kKeys, at::tensor(keys, at::kLong).to(mask.device()));
}

at::Tensor mask_of_block(const Block& block, const at::Tensor& mask) {
  at::Tensor own = mask;
  if (own.defined()) {
    own = own.narrow(kKeys, block.keys.begin, block.keys.length);
    const bool by_query = own.size(kQueries) > 1;
    if (by_query) own = own.narrow(kQueries, block.queries.begin, block.queries.length);
  }
  return joined(own, above(block.lower, block.queries.length, block.keys.length));
}

at::Tensor mask_of_whole(const Visibility& visibility, int64_t q_len, int64_t kv_len,
                         const at::Tensor& mask) {
  const at::Tensor seen = above(visibility.band.lower, q_len, kv_len);
  return joined(joined(mask, seen), same_document(visibility.documents));
}

}  // namespace attncheck

#include "impl/sharding/split_gather.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "impl/autograd/linear_function.h"
#include "impl/collectives/exchange.h"

namespace attncheck {
namespace {

bool are_equal(const ShardLengths& lengths) {
  return std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
}

int64_t longest(const ShardLengths& lengths) {
  return *std::max_element(lengths.begin(), lengths.end());
}

int64_t offset(const ShardLengths& lengths, int rank) {
  return std::accumulate(lengths.begin(), lengths.begin() + rank, int64_t{0});
}

at::Tensor own_part(const at::Tensor& x, int rank, int64_t axis, const ShardLengths& lengths) {
  return x.narrow(axis, offset(lengths, rank), lengths[rank]);
}

// x with zeros behind it, up to that length.
at::Tensor lengthened(const at::Tensor& x, int64_t axis, int64_t length) {
  if (x.size(axis) == length) return x;
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes[axis] = length;
  at::Tensor longer = at::zeros(sizes, x.options());
  longer.narrow(axis, 0, x.size(axis)).copy_(x);
  return longer;
}

// Shards of unequal length travel as long as the longest one.
at::Tensor gathered(const at::Tensor& shard, const KeptGroup& group, int64_t axis,
                    const ShardLengths& lengths) {
  const int64_t most = longest(lengths);
  if (most == 0) return shard;
  const at::Tensor all = all_gather(lengthened(shard, axis, most), *group, axis);
  if (are_equal(lengths)) return all;
  std::vector<at::Tensor> parts;
  for (size_t rank = 0; rank < lengths.size(); ++rank) {
    parts.push_back(all.narrow(axis, static_cast<int64_t>(rank) * most, lengths[rank]));
  }
  return at::cat(parts, axis);
}

at::Tensor reduced_part(const at::Tensor& whole, const KeptGroup& group, int64_t axis,
                        const ShardLengths& lengths) {
  const int64_t most = longest(lengths);
  if (most == 0) return whole;
  if (are_equal(lengths)) return reduce_scatter(whole, *group, axis);
  std::vector<at::Tensor> parts;
  for (size_t rank = 0; rank < lengths.size(); ++rank) {
    parts.push_back(lengthened(own_part(whole, static_cast<int>(rank), axis, lengths), axis, most));
  }
  const at::Tensor sum = reduce_scatter(at::cat(parts, axis), *group, axis);
  return sum.narrow(axis, 0, lengths[group_rank(*group)]);
}

void check_axis(const char* what, const at::Tensor& x, c10d::ProcessGroup& group, int64_t axis,
                const ShardLengths& lengths) {
  TORCH_CHECK(axis >= 0 && axis < x.dim(), what, ": there is no axis ", axis, " in ", x.sizes());
  TORCH_CHECK(static_cast<int>(lengths.size()) == group_size(group), what, ": ", lengths.size(),
              " lengths of shards for ", group_size(group), " ranks");
}

void check_length(const char* what, const at::Tensor& x, int64_t axis, int64_t expected) {
  TORCH_CHECK(x.size(axis) == expected, what, ": axis ", axis, " of ", x.sizes(), " has length ",
              x.size(axis), ", the lengths of the shards say ", expected);
}

}  // namespace

int64_t total(const ShardLengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
}

at::Tensor split_axis(const at::Tensor& x, const KeptGroup& group, int64_t axis,
                      const ShardLengths& lengths, SplitGradient gradient) {
  check_axis("split_axis", x, *group, axis, lengths);
  check_length("split_axis", x, axis, total(lengths));
  const int rank = group_rank(*group);
  if (gradient == SplitGradient::own) return own_part(x, rank, axis, lengths);
  return linear_function(
      x, [=](const at::Tensor& v) { return own_part(v, rank, axis, lengths).clone(); },
      [=](const at::Tensor& g) { return gathered(g, group, axis, lengths); });
}

at::Tensor gather_axis(const at::Tensor& shard, const KeptGroup& group, int64_t axis,
                       const ShardLengths& lengths) {
  check_axis("gather_axis", shard, *group, axis, lengths);
  check_length("gather_axis", shard, axis, lengths[group_rank(*group)]);
  if (lengths.size() == 1) return shard;
  return linear_function(
      shard, [=](const at::Tensor& v) { return gathered(v, group, axis, lengths); },
      [=](const at::Tensor& g) { return reduced_part(g, group, axis, lengths); });
}

at::Tensor sum_over_ranks(const at::Tensor& x, const KeptGroup& group) {
  if (group_size(*group) == 1) return x;
  return post_all_gather(x.unsqueeze(0), *group).wait().sum(0).squeeze(0);
}

}  // namespace attncheck

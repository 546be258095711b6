#include "harness/drive/contribution_row.h"

#include <ATen/ops/abs.h>
#include <ATen/ops/full.h>

#include "harness/drive/contribution_match.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

Contribution judged(int shard, bool expected, bool explained, std::vector<int> at) {
  Contribution contribution;
  contribution.at = std::move(at);
  const std::vector<int>& ranks = contribution.at;
  if (ranks.empty()) {
    contribution.fate = !explained ? Fate::wrong : expected ? Fate::missing : Fate::none;
  } else if (ranks == std::vector<int>{shard}) {
    contribution.fate = explained ? Fate::ok : Fate::wrong;
  } else {
    contribution.fate = ranks == std::vector<int>{shard, shard} ? Fate::doubled : Fate::delivered;
  }
  return contribution;
}

}  // namespace

double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.abs().max().item<double>();
}

std::vector<Contribution> trace_row(const std::vector<at::Tensor>& got,
                                    std::vector<at::Tensor> terms, double bound) {
  const int world = static_cast<int>(got.size());
  std::vector<bool> expected(world), explained(world);
  for (int j = 0; j < world; ++j) {
    expected[j] = largest(terms[j]) > bound;
    if (!expected[j]) terms[j] = at::Tensor();
  }
  std::vector<std::vector<int>> at(world);
  for (int rank = 0; rank < world; ++rank) {
    const auto found =
        match_sum(got[rank], terms, expected[rank] ? rank : -1, at::full({}, bound, at::kDouble));
    explained[rank] = found.has_value();
    for (int shard : found.value_or(std::vector<int>{})) at[shard].push_back(rank);
  }
  std::vector<Contribution> row;
  for (int j = 0; j < world; ++j) row.push_back(judged(j, expected[j], explained[j], at[j]));
  return row;
}

}  // namespace attncheck

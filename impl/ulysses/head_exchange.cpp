#include "impl/ulysses/head_exchange.h"

#include "impl/collectives/exchange.h"

namespace attncheck {
namespace {

constexpr int64_t kSequence = 1, kHeads = 2;  // axes of (B, S, H, ...)

std::vector<at::Tensor> trade(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group,
                              int64_t scatter_dim, int64_t gather_dim) {
  std::vector<Posted<at::Tensor>> posted;
  for (const auto& x : xs) posted.push_back(post_all_to_all(x, group, scatter_dim, gather_dim));
  std::vector<at::Tensor> results;
  for (auto& exchange : posted) results.push_back(exchange.wait());
  return results;
}

}  // namespace

std::vector<at::Tensor> to_heads(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group) {
  return trade(xs, group, kHeads, kSequence);
}

std::vector<at::Tensor> to_sequence(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group) {
  return trade(xs, group, kSequence, kHeads);
}

HeadTrades head_trades(const KeptGroup& group) {
  const auto there = [group](const std::vector<at::Tensor>& xs) { return to_heads(xs, *group); };
  const auto back = [group](const std::vector<at::Tensor>& xs) { return to_sequence(xs, *group); };
  return {there, back, there, back};
}

}  // namespace attncheck

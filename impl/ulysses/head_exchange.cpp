#include "impl/ulysses/head_exchange.h"

#include "impl/collectives/exchange.h"
#include "impl/layouts/strands.h"

namespace attncheck {
namespace {

constexpr int64_t kSequence = 1, kHeads = 2;  // axes of (B, S, H, ...)

std::vector<at::Tensor> trade(
    const std::vector<at::Tensor>& xs, const std::vector<Lengths>& lengths,
    const std::function<Posted<at::Tensor>(const at::Tensor& x, const Lengths& tokens)>& post) {
  std::vector<Posted<at::Tensor>> posted;
  for (size_t i = 0; i < xs.size(); ++i) {
    posted.push_back(post(xs[i], lengths.empty() ? Lengths{} : lengths.at(i)));
  }
  std::vector<at::Tensor> results;
  for (auto& exchange : posted) results.push_back(exchange.wait());
  return results;
}

}  // namespace

GroupLengths group_lengths(const AttentionOptions& options, const MeshGroups& groups) {
  const TokenSplit split = token_split(options, groups.mesh);
  const int ring_index = groups.ring_index();
  return {uneven_lengths(split, options.q_len, groups.mesh, ring_index),
          uneven_lengths(split, options.kv_len, groups.mesh, ring_index)};
}

std::vector<at::Tensor> to_heads(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group,
                                 const std::vector<Lengths>& lengths) {
  return trade(xs, lengths, [&](const at::Tensor& x, const Lengths& tokens) {
    return post_all_to_all(x, group, kHeads, kSequence, {}, tokens);
  });
}

std::vector<at::Tensor> to_sequence(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group,
                                    const std::vector<Lengths>& lengths) {
  return trade(xs, lengths, [&](const at::Tensor& x, const Lengths& tokens) {
    return post_all_to_all(x, group, kSequence, kHeads, tokens, {});
  });
}

HeadTrades head_trades(const KeptGroup& group, const GroupLengths& lengths) {
  const std::vector<Lengths> of_inputs{lengths.q, lengths.kv, lengths.kv};
  const std::vector<Lengths> of_results{lengths.q, lengths.q};
  const auto there = [group](const std::vector<Lengths>& tokens) {
    return [=](const std::vector<at::Tensor>& xs) { return to_heads(xs, *group, tokens); };
  };
  const auto back = [group](const std::vector<Lengths>& tokens) {
    return [=](const std::vector<at::Tensor>& xs) { return to_sequence(xs, *group, tokens); };
  };
  return {there(of_inputs), back(of_results), there(of_results), back(of_inputs)};
}

}  // namespace attncheck

#include "impl/allgather_kv/gathered_keys.h"

#include <algorithm>
#include <functional>

#include "impl/collectives/exchange.h"

namespace attncheck {
namespace {

constexpr int64_t kTokens = 1;  // axis of (B, S, H, D)

Lengths uneven(const Lengths& lengths) {
  const bool alike =
      std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  return alike ? Lengths{} : lengths;
}

}  // namespace

GatheredKeys gather_keys(const at::Tensor& k, const at::Tensor& v, const GatherCall& call) {
  const Lengths lengths = uneven(call.key_lengths);
  auto coming_k = post_joined_gather(k, *call.group, kTokens, lengths);
  auto coming_v = post_joined_gather(v, *call.group, kTokens, lengths);
  const at::Tensor all_k = moved(coming_k.wait(), call.keys.there);
  return {all_k, moved(coming_v.wait(), call.keys.there)};
}

at::Tensor summed_home(const at::Tensor& gradient, const GatherCall& call) {
  const at::Tensor by_rank = moved(gradient, call.keys.back);
  return reduce_scatter(by_rank.split_with_sizes(call.key_lengths, kTokens), *call.group);
}

}  // namespace attncheck

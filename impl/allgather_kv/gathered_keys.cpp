#include "impl/allgather_kv/gathered_keys.h"

#include "impl/collectives/exchange.h"
#include "impl/layouts/joint_tokens.h"

namespace attncheck {
namespace {

constexpr int64_t kTokens = 1;  // axis of (B, S, H, D)

}  // namespace

GatheredKeys gather_keys(const at::Tensor& k, const at::Tensor& v, const GatherCall& call) {
  const Lengths lengths = unless_alike(call.key_lengths);
  const auto post = [&](const at::Tensor& x) {
    return post_joined_gather(sharded_part(x, call.joint), *call.group, kTokens, lengths);
  };
  const auto with_joint = [&](const at::Tensor& gathered, const at::Tensor& own) {
    return with_joint_part(gathered, joint_part(own, call.joint), call.joint);
  };
  auto coming_k = post(k), coming_v = post(v);
  const at::Tensor all_k = moved(coming_k.wait(), call.keys.there);
  return {with_joint(all_k, k), with_joint(moved(coming_v.wait(), call.keys.there), v)};
}

at::Tensor summed_home(const at::Tensor& gradient, const GatherCall& call) {
  const at::Tensor by_rank = moved(sharded_part(gradient, call.joint), call.keys.back);
  const at::Tensor own =
      reduce_scatter(by_rank.split_with_sizes(call.key_lengths, kTokens), *call.group);
  return with_joint_part(own, joint_part(gradient, call.joint), call.joint);
}

}  // namespace attncheck

#include "harness/joint_gradients.h"

#include <ATen/TensorOperators.h>

#include "properties/compare.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

constexpr int64_t kSequence = 1;  // axis of (B, S, H, D)

// The part of a rank's gradient (`prefix` + "dq", say) that belongs to joint tokens; undefined if
// it has not its shape.
at::Tensor joint_part(const Case& c, const RankResult& rank, const std::string& prefix,
                      const std::string& name) {
  const auto found = rank.tensors.find(prefix + name);
  const Joint& joint = c.problem.joint;
  const bool of_keys = axis_of(name) == Axis::key;
  const auto held = of_keys ? kv_positions(c, rank.rank) : q_positions(c, rank.rank);
  const auto tokens = static_cast<int64_t>(held.size());
  if (found == rank.tensors.end() || found->second.dim() != 4 ||
      found->second.size(kSequence) != tokens) {
    return {};
  }
  const int64_t begin = joint.place == JointPlace::front ? 0 : tokens - joint.tokens;
  return found->second.narrow(kSequence, begin, joint.tokens);
}

void sum_over_ranks(const Case& c, Observation& observation, const std::string& prefix,
                    const std::string& name) {
  std::vector<at::Tensor> parts;
  at::Tensor sum;
  for (const RankResult& rank : observation.ranks) {
    const at::Tensor part = joint_part(c, rank, prefix, name);
    if (!part.defined() || (sum.defined() && sum.sizes() != part.sizes())) return;
    parts.push_back(part);
    sum = sum.defined() ? sum + part.to(at::kDouble) : part.to(at::kDouble);
  }
  for (at::Tensor& part : parts) part.copy_(sum);
}

}  // namespace

void sum_joint_gradients(const Request& request, Observation& observation) {
  if (!request.backward) return;
  const auto sum = [&](const Case& c, const std::string& prefix) {
    if (c.problem.joint.tokens == 0) return;
    for (const char* name : {"dq", "dk", "dv"}) sum_over_ranks(c, observation, prefix, name);
  };
  sum(request.case_, "");
  if (request.company == Company::interleaved) sum(*request.companion, "other_");
}

}  // namespace attncheck

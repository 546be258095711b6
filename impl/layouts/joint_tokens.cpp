#include "impl/layouts/joint_tokens.h"

#include <ATen/ops/cat.h>

namespace attncheck {
namespace {

constexpr int64_t kSequence = 1;  // axis of (B, S, ...)

}  // namespace

at::Tensor joint_part(const at::Tensor& x, const Joint& joint) {
  const int64_t others = x.size(kSequence) - joint.tokens;
  return x.narrow(kSequence, joint.place == JointPlace::front ? 0 : others, joint.tokens);
}

at::Tensor sharded_part(const at::Tensor& x, const Joint& joint) {
  if (joint.tokens == 0) return x;
  const int64_t others = x.size(kSequence) - joint.tokens;
  return x.narrow(kSequence, joint.place == JointPlace::front ? joint.tokens : 0, others);
}

at::Tensor with_joint_part(const at::Tensor& sharded, const at::Tensor& joint_part,
                           const Joint& joint) {
  if (joint.tokens == 0) return sharded;
  const bool in_front = joint.place == JointPlace::front;
  return in_front ? at::cat({joint_part, sharded}, kSequence)
                  : at::cat({sharded, joint_part}, kSequence);
}

}  // namespace attncheck

#include "impl/ring/gradient_return.h"

#include <ATen/TensorOperators.h>

#include "impl/collectives/exchange.h"
#include "impl/ring/key_stream.h"

namespace attncheck {
namespace {

// The keys' own messages use the tags 0 and 1.
constexpr int kTag = 2;

// What was collected by step, by owner.
std::vector<at::Tensor> by_owner(const std::vector<at::Tensor>& by_step, const RingCall& call) {
  std::vector<at::Tensor> owners(by_step.size());
  for (int step = 0; step < call.ring_degree; ++step) {
    owners[step_owner(call.ring_index, step, call.ring_degree)] = by_step[step];
  }
  return owners;
}

}  // namespace

void GradientReturn::add(const at::Tensor& dk, const at::Tensor& dv) {
  if (call_.rotate == Rotate::allgather || call_.ring_degree == 1) {
    dk_.push_back(dk);
    dv_.push_back(dv);
    return;
  }
  std::vector<at::Tensor> sums{dk, dv};
  if (incoming_) {
    sums = incoming_->wait();
    sums = {sums[0] + dk, sums[1] + dv};
  }
  incoming_.emplace(post_hop(sums, call_, step_++, kTag));
}

KeyGradients GradientReturn::finish() {
  if (call_.ring_degree == 1) return {dk_[0], dv_[0]};
  if (call_.rotate == Rotate::allgather) {
    const auto home = [this](const std::vector<at::Tensor>& by_step) {
      return reduce_scatter(by_owner(by_step, call_), *call_.group);
    };
    return {home(dk_), home(dv_)};
  }
  const auto sums = incoming_->wait();
  return {sums[0], sums[1]};
}

}  // namespace attncheck

#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/posted.h"
#include "impl/ring/ring_call.h"

namespace attncheck {

struct KeyGradients {
  at::Tensor dk, dv;
};

// Brings the gradients of keys and values, computed block by block on all ranks of a ring, home to
// their owners. With p2p and alltoall the sum travels with its keys, one hop a step, and makes the
// last hop home; with allgather each rank collects them by owner, and a reduce-scatter sums them.
class GradientReturn {
 public:
  explicit GradientReturn(const RingCall& call) : call_(call) {}
  // The gradients of this step's keys, in the order of step_owner, in the accumulation dtype.
  void add(const at::Tensor& dk, const at::Tensor& dv);
  // After ring_degree calls of `add`: the sums for this rank's own keys.
  KeyGradients finish();

 private:
  const RingCall& call_;
  int step_ = 0;
  std::vector<at::Tensor> dk_, dv_;                          // allgather: by step
  std::optional<Posted<std::vector<at::Tensor>>> incoming_;  // else: the next step's sums so far
};

}  // namespace attncheck

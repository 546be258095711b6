#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/posted.h"
#include "impl/ring/ring_call.h"

namespace attncheck {

struct OwnedKeys {
  at::Tensor k, v;  // (B, Skv, Hkv, Dqk), (B, Skv, Hkv, Dv)
  int owner = 0;    // the ring index that they belong to
};

// One hop around the ring of two tensors that go with the keys of step `step`, by rotate=p2p or
// alltoall: what comes belongs to those of the next step. p2p: tagged tag and tag + 1.
Posted<std::vector<at::Tensor>> post_hop(const std::vector<at::Tensor>& xs, const RingCall& call,
                                         int step, int tag);

// The keys and values of every rank of a ring, one rank's a step, in the order of step_owner. With
// rotate=allgather all are gathered at once; with p2p and alltoall the next ones travel while a
// step computes.
class KeyStream {
 public:
  KeyStream(const at::Tensor& k, const at::Tensor& v, const RingCall& call);
  // To be called ring_degree times.
  OwnedKeys next();

 private:
  void gather();
  void receive();

  const RingCall& call_;  // outlives the stream
  int step_ = 0;
  at::Tensor k_, v_;  // the rank's own; unless allgather: those of the last step
  std::vector<at::Tensor> all_k_, all_v_;                    // allgather: by owner
  std::optional<Posted<std::vector<at::Tensor>>> incoming_;  // p2p: of the next step
};

}  // namespace attncheck

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

// The keys and values of every rank of a ring, one rank's a step, in the order of step_owner. With
// rotate=allgather all are gathered at once; with p2p the next ones travel while a step computes.
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
  at::Tensor k_, v_;          // the rank's own; p2p: those of the last step
  at::Tensor all_k_, all_v_;  // allgather: (R, B, Skv, Hkv, D)
  std::optional<Posted<std::vector<at::Tensor>>> incoming_;  // p2p: of the next step
};

}  // namespace attncheck

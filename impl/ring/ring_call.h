#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"
#include "impl/layouts/blocks.h"
#include "impl/merges/span_sums.h"

namespace attncheck {

// What a rank's turn in a ring needs beside its tensors.
struct RingCall {
  const Backend* backend = nullptr;
  double scale = 1.0;
  Rotate rotate = Rotate::allgather;
  bool convert_to_fp32 = true;
  KeptGroup group;
  int ring_index = 0;
  int ring_degree = 1;
  Joint joint;
  Block joint_block;                       // all queries and the joint keys, where there are any
  std::vector<Span> parts;                 // of the rank's queries; each has its own blocks
  std::vector<std::vector<Block>> blocks;  // by owner of the keys: those in which anything is seen
  std::vector<int64_t> key_lengths;        // by ring index; empty: all alike
  MergeTwo merge = attncheck::merge;       // of what the rank has so far and the next block
};

// The keys that go round are those of the shards: joint ones stay with their rank. The mask of the
// options: of four axes, for the queries and the heads that the ring rank attends
// to, in their order.
RingCall ring_call(const AttentionOptions& options, const MeshGroups& groups);

// The owner of the keys that a rank attends to in a step: its own first, then its predecessors'.
int step_owner(int ring_index, int step, int ring_degree);

// The shape of x, a rank's k or v or a gradient of theirs, with the tokens of `owner`.
std::vector<int64_t> shape_at_owner(const at::Tensor& x, const RingCall& call, int owner);

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <optional>

#include <c10/core/ScalarType.h>

#include "impl/collectives/kept_group.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// What a rank's turn in a ring needs beside its tensors. The ring's ranks hold consecutive shards,
// equal in length, of the queries and of the keys.
struct RingCall {
  const Backend* backend = nullptr;
  double scale = 1.0;
  std::optional<int64_t> diagonal;  // of the whole sequence: key t is seen iff t <= p + *diagonal
  Rotate rotate = Rotate::allgather;
  bool convert_to_fp32 = true;
  KeptGroup group;
  int ring_index = 0;
  int ring_degree = 1;
};

RingCall ring_call(const AttentionOptions& options, const MeshGroups& groups);

// The dtype in which partial results and gradients add up: float32 for narrower inputs if
// convert_to_fp32; never narrower than the input.
at::ScalarType accumulation_type(at::ScalarType input, bool convert_to_fp32);

// The owner of the keys that a rank attends to in a step: its own first, then its predecessors'.
int step_owner(int ring_index, int step, int ring_degree);

// The block of the rank's queries q (B, Sq, H, Dqk) and the keys k (B, Skv, Hkv, Dqk) and values v
// (B, Skv, Hkv, Dv) of `owner`.
BackendInputs key_block(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const RingCall& call, int owner);

}  // namespace attncheck

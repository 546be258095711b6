#pragma once

#include <ATen/core/Tensor.h>

#include "impl/allgather_kv/gather_call.h"

namespace attncheck {

struct GatheredKeys {
  at::Tensor k, v;  // (B, S, Hkv, Dqk), (B, S, Hkv, Dv), S of all ranks
};

// The keys and values of all ranks, from this one's, in the order of the call's blocks.
GatheredKeys gather_keys(const at::Tensor& k, const at::Tensor& v, const GatherCall& call);

// The sum over the ranks of what each has in `gradient` (B, S, Hkv, D) for this rank's own keys:
// (B, Skv, Hkv, D).
at::Tensor summed_home(const at::Tensor& gradient, const GatherCall& call);

}  // namespace attncheck

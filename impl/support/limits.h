#pragma once

#include "impl/contract/implementation.h"

namespace attncheck {

// What an implementation can do beyond what all of the built-in ones can.
struct Limits {
  bool ring = true;        // ring degrees above 1
  bool ulysses = true;     // Ulysses degrees above 1
  bool any_heads = false;  // head counts that the Ulysses degree does not divide
  // Shards other than equal runs of the sequence, rotation by all-to-all, masks, a window,
  // documents and joint tokens.
  bool every_split = true;
  // Keys that all ranks gather at once, where a ring would pass them on: a call of the kernel has
  // all of them, and a log-sum-exp is needed only where results are merged.
  bool gathers_keys = false;
};

// Whether a built-in implementation with these limits does the case on the backend.
Support supports_case(const Limits& limits, const Case& c, const Backend& backend);

// Throws, from what this rank knows alone and before anything is sent, unless the call is one that
// supports_case accepts and the shards have the shapes that the options promise. What is refused
// for its options is refused on every rank.
void check_call(const Limits& limits, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const AttentionOptions& options, const MeshGroups& groups);

}  // namespace attncheck

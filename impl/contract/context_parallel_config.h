#pragma once

#include <string>
#include <vector>

#include "impl/contract/implementation.h"
#include "impl/contract/method.h"
#include "problem/case.h"

namespace attncheck {

// How attention is spread over ranks, under the names that diffusers' class has for it. What says
// nothing on a mesh (how a ring of one rank moves keys) is not looked at.
struct ContextParallelConfig {
  int ring_degree = 1;          // ranks that pass keys and values on; 1: no ring
  int ulysses_degree = 1;       // ranks that trade tokens for heads; 1: none do
  bool convert_to_fp32 = true;  // merge low-precision partials in float32
  Rotate rotate_method = Rotate::allgather;
  Layout layout = Layout::contiguous;
  MeshOrder mesh_order = MeshOrder::ru;  // which axis is the outer one

  Mesh mesh() const { return {ring_degree, ulysses_degree, mesh_order}; }
  // What of a call's options it says; the rest stays.
  void fill(AttentionOptions& options) const;

  bool operator==(const ContextParallelConfig&) const = default;
};

ContextParallelConfig config_of(const Case& c);

// What a mesh takes: a ring on Rx1, Ulysses on 1xU, both on RxU. On one rank Ulysses, which merges
// nothing.
Method method_for(const Mesh& mesh);

// All that is wrong with the config on a world of so many ranks, and, where a problem is given,
// with its sizes and shards on them: a sentence for each fault, which says what came, what was
// expected and what to do. Empty: nothing is. The problem's layout is the config's.
std::vector<std::string> faults_of(const ContextParallelConfig& config, int world_size,
                                   const Problem* problem = nullptr);

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/drive/features.h"
#include "harness/drive/stream_spec.h"
#include "problem/problem.h"

namespace attncheck {

// Both head_dims rounded up to a multiple; unlike each other if they were so before.
void round_head_dims(Problem& problem, int64_t multiple);

// What a subject takes on one mesh: asked once for each feature, on the plain case.
struct Abilities {
  Support plain;  // no: the subject does not do the mesh, backend or dtype at all
  std::vector<const Feature*> supported, refused;
  // Stripes together with places that hide keys: causal, a window, documents.
  bool stripes_by_place = false;
  int64_t head_dim_multiple = 1;  // 1, 2, 4 or 8: head_dims are multiples of this
  int64_t least_tokens = 1;       // 2 where one query a rank with one key a rank is refused
  // Whether one query of a whole ring rank may meet one key there; of a model, its own tokens.
  bool takes_one_pair = true;

  bool has(const std::string& feature) const;
};
Abilities ask_abilities(const StreamSpec& spec, const Mesh& mesh, const SupportsCase& supports);

}  // namespace attncheck

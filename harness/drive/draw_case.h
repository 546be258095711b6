#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/drive/abilities.h"
#include "harness/drive/stream_spec.h"

namespace attncheck {

// What a case is drawn for, beside being any case.
enum class Goal {
  any,
  other_kv_len,
  all_equal,
  view,
  large,
  zigzag,
  striped,
  uneven,
  masked,
  windowed,
  packed,
  joint
};

// Draws one case of a stream on a mesh: sizes by one of several patterns (small, pairwise distinct
// primes, all equal, H = S, ones), then each feature that the subject has, by its share. Sizes are
// multiples of what the mesh needs.
Case draw_case(const StreamSpec& spec, const Mesh& mesh, const Abilities& abilities, Goal goal,
               const Pick& pick);

// A case that the subject refuses for one feature that it lacks; nullopt where it lacks none.
std::optional<Case> draw_refused_case(const StreamSpec& spec, const Mesh& mesh,
                                      const Abilities& abilities, const Pick& pick);

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "harness/drive/abilities.h"
#include "harness/drive/stream_spec.h"

namespace attncheck {

// Sizes that are drawn: of a rank's tokens as a rule and now and then, the latter on small worlds.
inline constexpr int64_t kMostHeads = 8;
inline constexpr int64_t kMostBatches = 3;
int64_t most_local_tokens(const Mesh& mesh);
int64_t most_head_dim(const Mesh& mesh);

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

// What one change of a problem may have left behind: joint tokens among causal ones, or documents
// that no longer add up.
void drop_what_does_not_fit(Problem& problem);

// A case that the subject refuses for one feature that it lacks; nullopt where it lacks none.
std::optional<Case> draw_refused_case(const StreamSpec& spec, const Mesh& mesh,
                                      const Abilities& abilities, const Pick& pick);

}  // namespace attncheck

#pragma once

#include "harness/drive/abilities.h"
#include "harness/drive/stream_spec.h"

namespace attncheck {

// A case of a stream with the attention of a model: heads, head_dim, causality and length of
// `shape`, in the stream's dtype, the length rounded to a multiple of twice the mesh's ranks. Only
// how it is called is drawn, not what is computed: the ring's moves, the schedule, the layout, who
// requires grad, whether the log-sum-exp is returned.
Case shape_case(const StreamSpec& spec, const Mesh& mesh, const Abilities& abilities,
                const Problem& shape, const Pick& pick);

}  // namespace attncheck

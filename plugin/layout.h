#pragma once

#include <cstdint>

#include "plugin/additions.h"
#include "properties/lab.h"
#include "properties/observation.h"
#include "properties/request.h"
#include "properties/verdict.h"

namespace attncheck {

template <typename... Types>
constexpr uint64_t sizes_of() {
  uint64_t sizes = sizeof...(Types);
  ((sizes = sizes * 1099511628211u + sizeof(Types)), ...);
  return sizes;
}

// A number made of the sizes of all that a plug-in and the program hand to each other. It differs
// between most versions of the headers, and where one side's standard library is in a debug mode.
inline constexpr uint64_t kPluginLayout =
    sizes_of<Additions, Mesh, Problem, Case, Support, MeshGroups, AttentionOptions, Attention,
             Implementation, BackendContract, BackendInputs, BackendForward, BackendBackward,
             BackendGrads, Backend, BackendFamily, Origin, Collective, Partial, Merge, ModelForward,
             Model, Mutant, Request, RankResult, Observation, Evidence, Verdict, Expected, Lab,
             Property>();

}  // namespace attncheck

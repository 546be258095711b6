#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/schedule.h"
#include "tests/impl/mesh_testing.h"

namespace attncheck::testing {

// How a simulated mesh is launched: on which ranks of how large a world, in which order, and over
// what transport.
struct Launch {
  int first = 0;  // the launched rank that is rank 0 of the mesh
  int more = 0;   // ranks of the world beside those of the mesh
  int64_t send_buffer = 1 << 20;
  std::function<std::unique_ptr<sim::Schedule>()> schedule = nullptr;  // none: round robin
};

// Runs the work on every rank of the mesh, on ranks that ran nothing before: what each threw, or
// nothing.
std::vector<std::optional<std::string>> errors_on_launched(const Launch& launch, const Mesh& mesh,
                                                           const RankWork& work);

}  // namespace attncheck::testing

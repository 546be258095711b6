#include "harness/placement.h"

#include <algorithm>

namespace attncheck {

int Placement::mesh_rank(int launched) const {
  const auto found = std::find(members.begin(), members.end(), launched);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

Placement whole_world(const Mesh& mesh) {
  return {mesh.world(), mesh.world_members()};
}

Placement placement_of(const Request& request) {
  const int ranks = request.case_.mesh.world();
  Placement placement;
  placement.world = request.embedded ? 2 * ranks : ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    placement.members.push_back(request.embedded ? 2 * rank + 1 : rank);
  }
  return placement;
}

}  // namespace attncheck

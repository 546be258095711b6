#pragma once

#include <vector>

#include "problem/mesh.h"
#include "properties/request.h"

namespace attncheck {

// Where the ranks of a mesh are in the launched world.
struct Placement {
  int world = 1;             // ranks that are launched
  std::vector<int> members;  // by mesh rank: its rank in the launched world

  // The mesh rank at a rank of the launched world, -1 for a rank that has no part in the mesh.
  int mesh_rank(int launched) const;
};

// The mesh is the whole launched world, in order.
Placement whole_world(const Mesh& mesh);

// The whole world; of an embedded request every second rank of a world that is
// twice as large: mesh rank m is rank 2m + 1.
Placement placement_of(const Request& request);

}  // namespace attncheck

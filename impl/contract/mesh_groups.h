#pragma once

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include "problem/mesh.h"

namespace c10d {
class ProcessGroup;
}

namespace attncheck {

// The process groups that one rank of a mesh talks through. Ranks within `world` are mesh ranks;
// within `ring` they are ring indices, within `ulysses` Ulysses indices. A group of one rank is
// there as well. The groups may lie within a larger world: a rank of a group is not a rank of the
// launched world.
struct MeshGroups {
  c10::intrusive_ptr<c10d::ProcessGroup> world, ring, ulysses;
  Mesh mesh;
  int rank = 0;                    // in the mesh
  int world_rank = 0;              // in the launched world, which may be larger than the mesh
  c10::Device device = c10::kCPU;  // where this rank's tensors are

  int ring_index() const { return mesh.ring_index(rank); }
  int ulysses_index() const { return mesh.ulysses_index(rank); }
};

}  // namespace attncheck

#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/placement.h"
#include "impl/contract/mesh_groups.h"
#include "problem/mesh.h"

namespace attncheck {

// The groups of one rank of a mesh, from anything that makes a group of given ranks of the launched
// world (sim::RankContext, gloo_cpu::GroupFactory). The rank has a part in the mesh. Every rank
// asks in the same order.
template <typename Source>
MeshGroups make_groups(const Mesh& mesh, const Placement& placement, Source& source) {
  const auto placed = [&](std::vector<int> ranks) {
    for (int& rank : ranks) rank = placement.members[rank];
    return source.group(ranks);
  };
  MeshGroups groups;
  groups.mesh = mesh;
  groups.world_rank = source.rank();
  if constexpr (requires { source.device(); }) groups.device = source.device();
  groups.rank = placement.mesh_rank(source.rank());
  groups.world = placed(mesh.world_members());
  groups.ring = placed(mesh.ring_members(groups.rank));
  groups.ulysses = placed(mesh.ulysses_members(groups.rank));
  return groups;
}

}  // namespace attncheck

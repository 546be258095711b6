#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/contract/mesh_groups.h"
#include "problem/mesh.h"

namespace attncheck {

// The groups of one rank of a mesh, from anything that makes a group of given ranks
// (sim::RankContext, gloo_cpu::GroupFactory). Every rank asks in the same order.
template <typename Source>
MeshGroups make_groups(const Mesh& mesh, Source& source) {
  const int rank = source.rank();
  MeshGroups groups;
  groups.mesh = mesh;
  groups.rank = rank;
  groups.world = source.group(mesh.world_members());
  groups.ring = source.group(mesh.ring_members(rank));
  groups.ulysses = source.group(mesh.ulysses_members(rank));
  return groups;
}

}  // namespace attncheck

#include "tests/mutants/launched_mesh.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/world.h"

namespace attncheck::testing {
namespace {

std::vector<int> moved(std::vector<int> members, int first) {
  for (int& member : members) member += first;
  return members;
}

MeshGroups groups_from(const Launch& launch, const Mesh& mesh, sim::RankContext& context) {
  const int rank = context.rank() - launch.first;
  const auto group = [&](const std::vector<int>& members) {
    return context.group(moved(members, launch.first));
  };
  MeshGroups groups{group(mesh.world_members()), group(mesh.ring_members(rank)),
                    group(mesh.ulysses_members(rank)), mesh, rank};
  groups.world_rank = context.rank();
  return groups;
}

}  // namespace

std::vector<std::optional<std::string>> errors_on_launched(const Launch& launch, const Mesh& mesh,
                                                           const RankWork& work) {
  sim::World world(mesh.world() + launch.more);
  if (launch.schedule) world.set_schedule(launch.schedule());
  const auto errors = world.run(
      [&](sim::RankContext& context) {
        const int rank = context.rank() - launch.first;
        if (rank >= 0 && rank < mesh.world()) work(groups_from(launch, mesh, context));
      },
      {.send_buffer = launch.send_buffer});
  const auto begin = errors.begin() + launch.first;
  return {begin, begin + mesh.world()};
}

}  // namespace attncheck::testing

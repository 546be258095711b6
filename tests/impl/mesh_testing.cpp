#include "tests/impl/mesh_testing.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "sim/world.h"

namespace attncheck::testing {
namespace {

sim::World& world_of(int size) {
  static std::map<int, std::unique_ptr<sim::World>> worlds;
  auto& world = worlds[size];
  if (!world) world = std::make_unique<sim::World>(size);
  return *world;
}

}  // namespace

std::vector<std::optional<std::string>> errors_on_mesh(const Mesh& mesh, const RankWork& work) {
  return world_of(mesh.world()).run([&](sim::RankContext& context) {
    const int rank = context.rank();
    const MeshGroups groups{context.group(mesh.world_members()),
                            context.group(mesh.ring_members(rank)),
                            context.group(mesh.ulysses_members(rank)), mesh, rank};
    work(groups);
  });
}

void run_on_mesh(const Mesh& mesh, const RankWork& work) {
  const auto errors = errors_on_mesh(mesh, work);
  for (size_t rank = 0; rank < errors.size(); ++rank) {
    EXPECT_FALSE(errors[rank].has_value()) << "rank " << rank << ": " << errors[rank].value_or("");
  }
}

std::vector<at::Tensor> gradients(const std::vector<at::Tensor>& roots,
                                  const std::vector<at::Tensor>& inputs,
                                  const std::vector<at::Tensor>& cotangents) {
  return torch::autograd::grad(roots, inputs, cotangents, /*retain_graph=*/std::nullopt,
                               /*create_graph=*/false, /*allow_unused=*/true);
}

}  // namespace attncheck::testing

#include "harness/sim_transport.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/make_groups.h"
#include "sim/world.h"

namespace attncheck {
namespace {

constexpr int kLargestWorld = 1024;

}  // namespace

SimTransport::SimTransport(RankAnswer answer) : answer_(std::move(answer)) {}
SimTransport::~SimTransport() = default;

Support SimTransport::supports(const Mesh& mesh) const {
  if (mesh.world() <= kLargestWorld) return Support::yes();
  return Support::no("mesh " + to_text(mesh) + " has " + std::to_string(mesh.world()) +
                     " ranks, sim has at most " + std::to_string(kLargestWorld));
}

sim::World& SimTransport::world_of(int size) {
  std::unique_ptr<sim::World>& world = worlds_[size];
  if (!world) world = std::make_unique<sim::World>(size);
  return *world;
}

bool SimTransport::renew(const Mesh& mesh) {
  worlds_.erase(mesh.world());
  return true;
}

std::vector<RankReply> SimTransport::run(const Mesh& mesh, const std::string& request) {
  std::vector<RankReply> replies(mesh.world());
  const auto errors = world_of(mesh.world()).run([&](sim::RankContext& rank) {
    replies[rank.rank()].bytes = answer_(request, make_groups(mesh, rank));
  });
  for (size_t rank = 0; rank < errors.size(); ++rank) {
    if (!errors[rank]) continue;
    replies[rank].outcome = RankReply::Outcome::exited;
    replies[rank].note = "left its thread by an exception: " + *errors[rank];
  }
  return replies;
}

}  // namespace attncheck

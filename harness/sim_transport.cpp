#include "harness/sim_transport.h"

#include <stdexcept>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/make_groups.h"
#include "harness/sim_trace.h"
#include "sim/schedule_text.h"
#include "sim/world.h"

namespace attncheck {
namespace {

constexpr int kLargestWorld = 1024;

std::vector<RankReply> replies_of(const Launch& launch, std::vector<RankReply> launched,
                                  const std::vector<std::optional<std::string>>& errors,
                                  const sim::World& world) {
  std::vector<RankReply> replies;
  for (int member : launch.placement.members) {
    RankReply reply = std::move(launched[member]);
    reply.trace = translated(world.trace()[member], launch.placement);
    reply.waited = world.waited_in_vain(member);
    if (errors[member]) {
      reply.outcome = RankReply::Outcome::exited;
      reply.note = "left its thread by an exception: " + *errors[member];
    }
    replies.push_back(std::move(reply));
  }
  return replies;
}

}  // namespace

SimTransport::SimTransport(RankAnswer answer, SimOptions options)
    : answer_(std::move(answer)), options_(std::move(options)) {}
SimTransport::~SimTransport() = default;

Support SimTransport::supports(const Mesh& mesh) const {
  if (mesh.world() <= kLargestWorld) return Support::yes();
  return Support::no("mesh " + to_text(mesh) + " has " + std::to_string(mesh.world()) +
                     " ranks, sim has at most " + std::to_string(kLargestWorld));
}

Support SimTransport::follows(const std::string& schedule) const {
  try {
    sim::make_schedule(schedule);
    return Support::yes();
  } catch (const std::invalid_argument& error) {
    return Support::no("schedule=: " + std::string(error.what()));
  }
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

std::vector<RankReply> SimTransport::run(const Launch& launch) {
  std::vector<RankReply> launched(launch.placement.world);
  sim::World& world = world_of(launch.placement.world);
  world.set_schedule(sim::make_schedule(launch.schedule));
  const RankFrame& frame = options_.frame;
  const sim::RunOptions options{options_.send_buffer, launch.watch, options_.turn,
                                frame.around_wait ? &frame.around_wait : nullptr};
  const auto work = [&](sim::RankContext& rank) {
    if (launch.placement.mesh_rank(rank.rank()) < 0) return;
    launched[rank.rank()].bytes =
        answer_(launch.request, make_groups(launch.mesh, launch.placement, rank));
  };
  const auto framed = [&](sim::RankContext& rank) { frame.run(rank, work); };
  const auto errors = frame.run ? world.run(framed, options) : world.run(work, options);
  return replies_of(launch, std::move(launched), errors, world);
}

}  // namespace attncheck

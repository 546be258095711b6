#include "cli/launch.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/session.h"
#include "cli/usage.h"
#include "gloo_cpu/launched_world.h"
#include "harness/gpu_library.h"
#include "harness/process_transport.h"

namespace attncheck::cli {
namespace {

constexpr std::chrono::seconds kHeadStart{2};

using gloo_cpu::LaunchedPlace;
using gloo_cpu::LaunchedWorld;

std::shared_ptr<LaunchedWorld>& world() {
  static std::shared_ptr<LaunchedWorld> joined;
  return joined;
}

std::optional<LaunchedPlace> place() {
  try {
    return gloo_cpu::launched_place();
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("the launcher's variables: ") + error.what());
  }
}

// Every mesh of so many ranks.
std::vector<std::string> meshes_of(int ranks) {
  std::vector<std::string> meshes;
  for (int ring = ranks; ring >= 1; --ring) {
    if (ranks % ring == 0) meshes.push_back(fmt::format("{}x{}", ring, ranks / ring));
  }
  return meshes;
}

void require_world(const LaunchedPlace& place, const Mesh& mesh) {
  if (mesh.world() == place.world) return;
  throw UsageError(fmt::format("mesh {} has {} ranks, and {} started {}: ask for {}, or start {}",
                               to_text(mesh), mesh.world(), place.launcher, place.world,
                               fmt::join(meshes_of(place.world), ", "), mesh.world()));
}

std::optional<int> join(const LaunchedPlace& place, const std::string& transport,
                        const RankArguments& ranks) {
  auto joined = std::make_shared<LaunchedWorld>(
      place, rank_set_options(process_options(transport, ranks, "")));
  if (place.rank > 0) return joined->serve();
  world() = std::move(joined);
  return std::nullopt;
}

}  // namespace

std::string device_of(const std::string& transport, const RankArguments& ranks) {
  if (!ranks.device.empty()) return ranks.device;
  return transport == "nccl" ? "cuda" : "cpu";
}

void require_device(const std::string& transport, const RankArguments& ranks) {
  const std::string device = device_of(transport, ranks);
  if (transport == "sim" && device != "cpu") {
    throw UsageError(
        "--device cuda: sim's tensors are in CPU memory; use --transport gloo or nccl");
  }
  if (transport == "nccl" && device != "cuda") {
    throw UsageError("--device cpu: nccl's tensors are on GPUs; use --transport gloo or sim");
  }
  if (device == "cuda" && !program_registry().callables.rank_command.empty()) {
    throw UsageError(
        "--device cuda: ranks of callables have CPU tensors: use --transport gloo on cpu");
  }
  if (device == "cuda") require_gpus();
}

void settle_devices(CheckArguments& arguments) {
  std::vector<std::string>& transports = arguments.transports;
  const bool all = std::find(transports.begin(), transports.end(), "all") != transports.end();
  if (transports.empty() || all) {
    transports = {"sim", "gloo"};
    if (arguments.ranks.device == "cuda") transports = {"gloo"};
  }
  for (const std::string& transport : transports) {
    require_name("transport", transport, transport_names());
    require_device(transport, arguments.ranks);
  }
}

std::optional<int> join_launched_world(CheckArguments& arguments) {
  const auto launched = place();
  if (!launched || arguments.transports == std::vector<std::string>{"sim"}) return std::nullopt;
  if (launched->rank > 0) be_silent();
  if (arguments.transports.size() != 1 || arguments.transports.front() == "sim") {
    throw UsageError(
        fmt::format("{} started {} processes: they are the ranks of one transport, so "
                    "ask for --transport gloo or nccl",
                    launched->launcher, launched->world));
  }
  if (arguments.lanes.value_or(1) != 1) {
    throw UsageError("--lanes: a launched world judges one case at a time, use --lanes 1");
  }
  arguments.lanes = 1;
  for (const Mesh& mesh : mesh_arguments(arguments.meshes)) require_world(*launched, mesh);
  if (arguments.meshes.empty()) arguments.meshes = meshes_of(launched->world);
  return join(*launched, arguments.transports.front(), arguments.ranks);
}

std::optional<int> join_launched_world(const Case& c, const RankArguments& ranks) {
  const auto launched = place();
  if (!launched || (c.transport != "gloo" && c.transport != "nccl")) return std::nullopt;
  if (launched->rank > 0) be_silent();
  require_world(*launched, c.mesh);
  return join(*launched, c.transport, ranks);
}

std::optional<int> join_launched_world(const std::string& transport, std::optional<int>& asked,
                                       const RankArguments& ranks) {
  const auto launched = place();
  if (!launched || transport == "sim") return std::nullopt;
  if (launched->rank > 0) be_silent();
  require_world(*launched, {asked.value_or(launched->world), 1});
  asked = launched->world;
  return join(*launched, transport, ranks);
}

void let_the_first_rank_speak() {
  if (is_silent()) std::this_thread::sleep_for(kHeadStart);
}

std::shared_ptr<LaunchedWorld> launched_world() {
  return world();
}

void leave_launched_world(int code) {
  if (!world()) return;
  be_silent();  // all is said, and a launcher may end whoever is last
  try {
    world()->end(code);
  } catch (const std::exception&) {
    // The others see that the store is gone.
  }
  world().reset();
}

}  // namespace attncheck::cli

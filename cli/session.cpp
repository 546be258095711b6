#include "cli/session.h"

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/early_exit.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/usage.h"
#include "gloo_cpu/process_memory.h"
#include "harness/evaluate_rank.h"
#include "harness/isolated_transport.h"
#include "harness/process_transport.h"
#include "harness/sim_transport.h"
#include "problem/case_text.h"
#include "sim/affinity.h"

namespace attncheck::cli {

namespace {

namespace fs = std::filesystem;

// Each rank imports what its callables need: of torch 3.5 s of one core.
constexpr std::chrono::minutes kCallablesStart{4};
constexpr int kCallablesRenewals = 30;  // of groups, whose threads stay

void require_log_dir(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    error.assign(errno, std::generic_category());
  }
  if (!error && !fs::is_directory(folder)) error = make_error_code(std::errc::not_a_directory);
  if (error) throw UsageError("--log-dir: cannot write '" + folder + "': " + error.message());
}

// For a shell.
std::string in_quotes(const std::string& path) {
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Over what the line of progress may have left on a terminal.
void tell_of_incident(const Case& c, const std::string& incident) {
  tell(fmt::format("{}attncheck: {}; trying it on fresh ranks; case: {}\n",
                   ::isatty(STDERR_FILENO) == 1 ? "\r" : "", incident, to_text(c)));
}

// Callables are called by no process but their language's.
bool isolates(const RankArguments& ranks) {
  const Registry& registry = program_registry();
  if (!registry.callables.rank_command.empty()) {
    if (ranks.isolate == false) {
      throw UsageError("--no-isolate: callables run in processes of their language: leave it out");
    }
    return true;
  }
  return ranks.isolate.value_or(!registry.plugins.empty());
}

std::shared_ptr<Transport> sim_transport(const Registry& registry, const RankArguments& ranks,
                                         const std::string& log_prefix) {
  const SimOptions options{ranks.send_buffer};
  if (isolates(ranks)) {
    return std::make_shared<IsolatedTransport>(process_options("sim", ranks, log_prefix + "sim-"),
                                               options);
  }
  ranks_run_here();
  const RankAnswer answer = [&registry](const std::string& request, const MeshGroups& groups) {
    return answer_request(registry, request, groups);
  };
  return std::make_shared<SimTransport>(answer, options);
}

int64_t memory_of(const RankArguments& ranks) {
  if (!ranks.memory) return gloo_cpu::machine_memory() / 2;
  return std::llround(std::ldexp(*ranks.memory, 30));
}

}  // namespace

ProcessOptions process_options(const std::string& transport, const RankArguments& ranks,
                               const std::string& log_prefix) {
  ProcessOptions options;
  options.rank_command = {fs::read_symlink("/proc/self/exe").string(), "rank"};
  const Callables& callables = program_registry().callables;
  if (!callables.rank_command.empty()) {
    options.rank_command = callables.rank_command;
    options.start_timeout = kCallablesStart;
    options.most_renewals = kCallablesRenewals;
  }
  for (const std::string& plugin : program_registry().plugins) {
    options.rank_command.insert(options.rank_command.end(), {"--plugin", plugin});
  }
  const std::chrono::duration<double> timeout(ranks.timeout);
  options.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  options.log_dir = ranks.log_dir;
  options.log_prefix = log_prefix;
  options.transport = transport;
  options.device = device_of(transport, ranks);
  options.memory = memory_of(ranks);
  return options;
}

std::shared_ptr<RunLab> make_lab(const Registry& registry, const RankArguments& ranks,
                                 const std::string& log_prefix) {
  at::set_num_threads(1);  // the sums of the reference must not depend on the machine
  require_log_dir(ranks.log_dir);
  guard_the_exit();
  std::map<std::string, std::shared_ptr<Transport>> transports;
  transports["sim"] = sim_transport(registry, ranks, log_prefix);
  for (const char* transport : {"gloo", "nccl"}) {
    ProcessOptions options = process_options(transport, ranks, log_prefix);
    options.launched = launched_world();
    transports[transport] = std::make_shared<ProcessTransport>(std::move(options));
  }
  auto lab = std::make_shared<RunLab>(registry, std::move(transports));
  lab->tell(tell_of_incident);
  return lab;
}

std::string replay_flags(const RankArguments& ranks) {
  std::string flags;
  if (!ranks.device.empty()) flags += " --device " + ranks.device;
  if (ranks.send_buffer != 0) flags += fmt::format(" --send-buffer {}", ranks.send_buffer);
  if (ranks.timeout != RankArguments{}.timeout) {
    flags += fmt::format(" --rank-timeout {}", ranks.timeout);
  }
  if (ranks.memory) flags += fmt::format(" --rank-memory {}", *ranks.memory);
  if (ranks.isolate) flags += *ranks.isolate ? " --isolate" : " --no-isolate";
  for (const std::string& plugin : program_registry().plugins) {
    flags += " --plugin " + in_quotes(plugin);
  }
  return flags;
}

LaneLab make_lane(const Registry& registry, const RankArguments& ranks,
                  const std::string& log_prefix) {
  const std::shared_ptr<RunLab> lab = make_lab(registry, ranks, log_prefix);
  return {lab, [lab] { lab->forget(); }, [lab] { return lab->counts().runs; }};
}

std::unique_ptr<Lanes> make_lanes(const Registry& registry, const RankArguments& ranks,
                                  std::optional<int64_t> count) {
  const int64_t lanes = count.value_or(static_cast<int64_t>(sim::granted_cores().size()));
  std::vector<LaneLab> labs;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const std::string prefix = lanes > 1 ? "lane" + std::to_string(lane) + "-" : "";
    labs.push_back(make_lane(registry, ranks, prefix));
  }
  return std::make_unique<Lanes>(std::move(labs));
}

void require_runnable(const Registry& registry, const RunLab& lab, const Case& c) {
  require_name("transport", c.transport, transport_names());
  require_here(c.backend);
  try {
    require_known(registry, c);
  } catch (const UnknownName& error) {
    throw UsageError(error.what());
  }
  require_ranks_know(registry, c.impl);
  const Support carried = lab.carries(c);
  if (!carried) throw UsageError(carried.reason);
}

}  // namespace attncheck::cli

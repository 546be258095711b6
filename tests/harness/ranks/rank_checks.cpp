#include "tests/harness/ranks/rank_checks.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <sys/wait.h>

#include "harness/drive/check_stream.h"
#include "harness/evaluate_rank.h"
#include "harness/isolated_transport.h"
#include "harness/run_lab.h"
#include "harness/sim_transport.h"
#include "tests/gloo_cpu/left_behind.h"

namespace attncheck {
namespace {

// On a busy machine as well.
constexpr std::chrono::seconds kTimeToShrink{120};
constexpr std::chrono::seconds kTimeToDie{20};  // of a process that was killed

}  // namespace

ProcessOptions processes_of_this_program() {
  ProcessOptions options;
  options.rank_command = {std::filesystem::read_symlink("/proc/self/exe").string()};
  return options;
}

Transports in_process(const Registry& registry, int64_t send_buffer) {
  const RankAnswer answer = [&registry](const std::string& request, const MeshGroups& groups) {
    return answer_request(registry, request, groups);
  };
  return {{"sim", std::make_shared<SimTransport>(answer, SimOptions{send_buffer})}};
}

Transports in_processes(const ProcessOptions& options, int64_t send_buffer) {
  return {{"sim", std::make_shared<IsolatedTransport>(options, SimOptions{send_buffer})},
          {"gloo", std::make_shared<ProcessTransport>(options)}};
}

CheckReport check(const Registry& registry, const Transports& transports, const StreamSpec& spec,
                  int64_t cases, const std::vector<std::string>& names) {
  PropertyList properties;
  for (const Property& property : all_properties()) {
    const bool named = std::find(names.begin(), names.end(), property.name) != names.end();
    if (names.empty() || named) properties.push_back(&property);
  }
  CheckOptions options;
  options.cases = cases;
  options.seed = 1;
  options.shrink.time = kTimeToShrink;
  const auto lab = std::make_shared<RunLab>(registry, transports);
  Lanes lanes({LaneLab{lab, [lab] { lab->forget(); }, [lab] { return lab->counts().runs; }}});
  CheckReport report;
  report.streams.push_back(check_stream(spec, properties, lanes, options));
  return report;
}

bool has_children() {
  const auto give_up = std::chrono::steady_clock::now() + kTimeToDie;
  while (std::chrono::steady_clock::now() < give_up) {
    if (::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

bool nothing_is_left() {
  const auto give_up = std::chrono::steady_clock::now() + kTimeToDie;
  while (processes_left() > 0) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace attncheck

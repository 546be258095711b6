#include "harness/process_transport.h"

#include <algorithm>
#include <deque>
#include <sstream>

#include "gloo_cpu/group_factory.h"
#include "gloo_cpu/launched_world.h"
#include "gloo_cpu/rank_place.h"
#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/serve_rank.h"
#include "harness/callables/refused_call.h"
#include "harness/evaluate_rank.h"
#include "harness/gpu_library.h"
#include "harness/isolated_mesh.h"
#include "harness/make_groups.h"
#include "harness/own_threads.h"

namespace attncheck {
namespace {

constexpr int kLargestWorld = 64;
constexpr std::chrono::milliseconds kHastyGrace{300};  // for the peers of a rank that ended
constexpr size_t kShownLines = 8;                      // of what a rank printed

using Outcome = RankReply::Outcome;

Outcome outcome_of(gloo_cpu::RankReply::Outcome outcome) {
  switch (outcome) {
    case gloo_cpu::RankReply::Outcome::answered:
      return Outcome::answered;
    case gloo_cpu::RankReply::Outcome::exited:
      return Outcome::exited;
    case gloo_cpu::RankReply::Outcome::signalled:
      return Outcome::signalled;
    case gloo_cpu::RankReply::Outcome::silent:
      return Outcome::silent;
    case gloo_cpu::RankReply::Outcome::outgrown:
      return Outcome::outgrown;
    case gloo_cpu::RankReply::Outcome::cut_short:
      return Outcome::bystander;
  }
  return Outcome::silent;
}

// The last lines, each behind a line break and indented.
std::string last_lines(const std::string& log) {
  std::istringstream in(log);
  std::deque<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > kShownLines) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += "\n    " + line;
  return text;
}

RankReply translated(gloo_cpu::RankReply reply) {
  RankReply translated;
  translated.outcome = outcome_of(reply.outcome);
  translated.code = reply.code;
  translated.after = reply.after;
  translated.stopped = reply.stopped;
  if (translated.outcome == Outcome::answered) {
    translated.bytes = std::move(reply.bytes);
    return translated;
  }
  translated.note = gloo_cpu::fate(reply);
  if (!reply.log_tail.empty()) translated.note += "; it printed:" + last_lines(reply.log_tail);
  return translated;
}

// Nobody got the request: those that were ready are bystanders.
std::vector<RankReply> not_started(const gloo_cpu::StartError& error) {
  std::vector<RankReply> replies;
  for (const gloo_cpu::RankReply& reply : error.replies()) {
    RankReply rank = translated(reply);
    if (rank.outcome == Outcome::answered) rank.outcome = Outcome::bystander;
    rank.started = false;
    rank.note = "did not start: it " + rank.note;
    replies.push_back(std::move(rank));
  }
  return replies;
}

// A throw in the middle of an exchange leaves messages behind that the next request would receive.
// A refusal comes before any exchange, on every rank: that is what its property checks.
bool may_leave_messages(const Request& request, const RankResult& result) {
  if (result.facts.contains(kRefusedFact) || result.facts.contains(kNotAskedFact)) return false;
  return request.forced ? !result.error : result.error.has_value();
}

// The groups of the request, and then the subject; nothing on a rank that has no part in the mesh.
// Groups that cannot be made are an error of this rank, most likely since another one is gone.
RankResult evaluate(const Registry& registry, const Request& request,
                    gloo_cpu::GroupFactory& factory) {
  const Placement placement = placement_of(request);
  if (placement.mesh_rank(factory.rank()) < 0) return {};
  MeshGroups groups;
  try {
    groups = make_groups(request.case_.mesh, placement, factory);
  } catch (const std::exception& error) {
    RankResult result;
    result.rank = placement.mesh_rank(factory.rank());
    result.error = RankError{Phase::exchange, std::string("no groups: ") + error.what()};
    return result;
  }
  const OwnThreads threads;
  RankResult result = evaluate_rank(registry, request, groups);
  note_threads_left(threads.left(), result);
  return result;
}

}  // namespace

gloo_cpu::RankSetOptions rank_set_options(const ProcessOptions& options) {
  gloo_cpu::RankSetOptions set;
  set.command.argv = options.rank_command;
  set.timeout = options.timeout;
  set.most_renewals = options.most_renewals;
  set.start_timeout = options.start_timeout.value_or(set.start_timeout);
  set.log_dir = options.log_dir;
  set.log_prefix = options.log_prefix;
  set.transport = options.transport;
  set.device = options.device;
  set.memory = options.memory;
  set.shared_word = options.shared_word;
  return set;
}

ProcessTransport::ProcessTransport(ProcessOptions options) : options_(std::move(options)) {}
ProcessTransport::~ProcessTransport() = default;

Support ProcessTransport::supports(const Mesh& mesh) const {
  const int ranks = mesh.world();
  const auto most = [&](int count, const std::string& why) {
    if (ranks <= count) return Support::yes();
    return Support::no("mesh " + to_text(mesh) + " has " + std::to_string(ranks) + " ranks, " +
                       why + std::to_string(count));
  };
  if (options_.launched) {
    return most(options_.launched->place().world, "the launched world has ");
  }
  if (options_.transport == "nccl") {
    static const int gpus = count_gpus().gpus;
    return most(gpus, "NCCL needs a GPU for each: here are ");
  }
  return most(kLargestWorld, "gloo has at most ");
}

void ProcessTransport::allow(std::chrono::milliseconds limit) {
  options_.timeout = std::max(options_.timeout, limit);
}

void ProcessTransport::hurry(bool on) {
  hasty_ = on;
  slow_ = slow_ && on;
}

bool ProcessTransport::restart() {
  const bool renewed = std::any_of(sets_.begin(), sets_.end(), [](const auto& entry) {
    return entry.second && entry.second->renewed();
  });
  std::erase_if(sets_, [](const auto& entry) { return entry.second && !entry.second->fresh(); });
  return renewed;
}

std::chrono::milliseconds ProcessTransport::timeout() const {
  return hasty_ && slow_ ? std::min(options_.timeout, options_.hasty_timeout) : options_.timeout;
}

std::unique_ptr<gloo_cpu::Ranks> ProcessTransport::fresh_set(int size) const {
  gloo_cpu::RankSetOptions options = rank_set_options(options_);
  options.world = size;
  options.timeout = timeout();
  if (hasty_) options.peer_grace = kHastyGrace;
  if (!options_.launched) return std::make_unique<gloo_cpu::RankSet>(options);
  return options_.launched->ranks(size, options.timeout, options.peer_grace);
}

gloo_cpu::Ranks& ProcessTransport::set_of(int size) {
  std::unique_ptr<gloo_cpu::Ranks>& set = sets_[size];
  if (!set || !set->usable() || set->timeout() != timeout()) {
    set.reset();
    set = fresh_set(size);
  }
  return *set;
}

std::vector<RankReply> ProcessTransport::run(const Launch& launch) {
  std::vector<RankReply> launched, replies;
  try {
    for (gloo_cpu::RankReply& reply : set_of(launch.placement.world).run(launch.request)) {
      slow_ = slow_ || reply.after > options_.hasty_timeout;
      launched.push_back(translated(std::move(reply)));
    }
  } catch (const gloo_cpu::StartError& error) {
    launched = not_started(error);
  }
  for (int member : launch.placement.members) replies.push_back(std::move(launched[member]));
  return replies;
}

int serve_rank_process(const Registry& registry, const std::vector<RankTask>& others,
                       const MakeGroups& make_groups) {
  if (is_isolated_mesh()) return serve_isolated_mesh(registry);
  const auto answer = [&](const std::string& text, gloo_cpu::GroupFactory& factory) {
    for (const RankTask& task : others) {
      if (text.starts_with(task.word + " ")) return task.answer(text, factory);
    }
    const Request request = parse_request(text);
    const RankResult result = evaluate(registry, request, factory);
    if (may_leave_messages(request, result)) factory.distrust();
    return to_bytes(result);
  };
  if (make_groups) return gloo_cpu::serve_rank(answer, make_groups);
  return gloo_cpu::serve_rank(answer, [](const gloo_cpu::RankPlace& place) {
    if (place.device == "cpu") return gloo_cpu::gloo_groups(place, at::kCPU);
    return open_gpu_library().make_groups(place);
  });
}

bool is_rank_process() {
  return gloo_cpu::is_rank_process();
}

}  // namespace attncheck

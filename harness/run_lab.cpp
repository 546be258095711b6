#include "harness/run_lab.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <tuple>
#include <utility>

#include "harness/expectation.h"
#include "harness/joint_gradients.h"
#include "harness/reaches.h"
#include "harness/what_was_thrown.h"
#include "sim/vector_math.h"

namespace attncheck {
namespace {

constexpr int kMostRuns = 3;      // of a request whose ranks end early, each time in another way
constexpr int kMostStarts = 4;    // of ranks that do not start, for one request
constexpr int kMostGivenUp = 10;  // requests whose ranks did not start, where others' did

bool ended(const RankReply& reply) {
  return reply.outcome != RankReply::Outcome::answered &&
         reply.outcome != RankReply::Outcome::bystander;
}

// The rank to name: one that somebody stopped, else the first one that ended, else a silent one.
int culprit_of(const std::vector<RankReply>& replies) {
  const auto rank_of = [](const RankReply& reply) {
    const bool silent = reply.outcome == RankReply::Outcome::silent;
    return std::tuple(!reply.stopped, silent, reply.after);
  };
  int culprit = -1;
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    if (!ended(replies[rank])) continue;
    if (culprit < 0 || rank_of(replies[rank]) < rank_of(replies[culprit])) {
      culprit = static_cast<int>(rank);
    }
  }
  return culprit;
}

// Errors that differ in sizes alone are of one kind.
std::string kind_of(std::string incident) {
  std::erase_if(incident, [](unsigned char c) { return std::isdigit(c) != 0; });
  return incident;
}

RankResult result_of(const RankReply& reply, int rank, bool culprit) {
  if (reply.outcome == RankReply::Outcome::answered) {
    RankResult result = rank_result_from_bytes(reply.bytes);
    result.trace = reply.trace;
    return result;
  }
  RankResult result;
  result.rank = rank;
  result.error = RankError{Phase::process, reply.note};
  if (!culprit) result.facts["bystander"] = "1";
  return result;
}

Observation observation_of(const std::vector<RankReply>& replies, int culprit) {
  Observation observation;
  for (int rank = 0; rank < static_cast<int>(replies.size()); ++rank) {
    observation.ranks.push_back(result_of(replies[rank], rank, rank == culprit));
  }
  return observation;
}

// An error long after the first one is what the first one did to a peer: ranks that meet in an
// exchange fail there together, and a rank that left it costs its peers seconds.
constexpr std::chrono::milliseconds kTogether{500};

void mark_consequences(const std::vector<RankReply>& replies, Observation& observation) {
  auto first = std::chrono::microseconds::max();
  bool one_did_not_wait = false;
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    if (!observation.ranks[rank].error) continue;
    first = std::min(first, replies[rank].after);
    one_did_not_wait = one_did_not_wait || !replies[rank].waited;
  }
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    if (!observation.ranks[rank].error || ended(replies[rank])) continue;
    const bool late = replies[rank].after - first > kTogether;
    if (late || (replies[rank].waited && one_did_not_wait)) {
      observation.ranks[rank].facts["bystander"] = "1";
    }
  }
}

Launch launch_of(const Request& request) {
  return {request.case_.mesh, placement_of(request), to_text(request), request.case_.schedule,
          request.watch};
}

const Observation& of_no_refusal(const Request& request, const Observation& observation) {
  if (const auto reason = refused_run(request, observation)) throw RefusedRun(*reason);
  return observation;
}

}  // namespace

RunLab::RunLab(const Registry& registry,
               std::map<std::string, std::shared_ptr<Transport>> transports)
    : registry_(registry), transports_(std::move(transports)) {
  sim::settle_vector_math();
}

// One run, and how it ended early, if it did.
struct RunLab::Attempt {
  Observation observation;
  bool early = false;    // a rank was lost, or erred where the request did not ask for it
  bool started = true;   // false: the ranks did not even start
  bool outside = false;  // ended by what only somebody else does: SIGKILL, or a stop
  std::tuple<int, RankReply::Outcome, int> ending;  // who was lost, and how
  std::string incident;                             // early, or before it could start
};

std::vector<RankReply> RunLab::replies_of(Transport& transport, const Request& request) {
  const std::lock_guard lock(running_);
  return transport.run(launch_of(request));
}

RunLab::Attempt RunLab::attempt(Transport& transport, const Request& request) {
  const bool kept = request.fresh_ranks && !transport.renew(request.case_.mesh);
  ++counts_.runs;
  const std::vector<RankReply> replies = replies_of(transport, request);
  const int culprit = culprit_of(replies);
  Attempt attempt;
  attempt.observation = observation_of(replies, culprit);
  mark_consequences(replies, attempt.observation);
  sum_joint_gradients(request, attempt.observation);
  if (kept) attempt.observation.ranks.front().facts["kept_ranks"] = "1";
  const RankResult* failed = first_failed_rank(attempt.observation);
  const bool refused = refused_run(request, attempt.observation).has_value();
  attempt.early = culprit >= 0 || (failed != nullptr && !request.forced && !refused);
  if (!attempt.early) return attempt;
  attempt.incident = in_one_line(error_text(*failed));
  attempt.ending = {failed->rank, RankReply::Outcome::answered, 0};
  if (culprit < 0) return attempt;
  const RankReply& reply = replies[culprit];
  attempt.ending = {culprit, reply.outcome, reply.code};
  attempt.started = reply.started;
  attempt.outside =
      reply.stopped || (reply.outcome == RankReply::Outcome::signalled && reply.code == SIGKILL);
  return attempt;
}

// Ranks that do not start say nothing about the case; what hindered them once is an incident.
RunLab::Attempt RunLab::started_attempt(Transport& transport, const Request& request) {
  Attempt last;
  std::string hindrance;
  for (int start = 0; start < kMostStarts; ++start) {
    last = attempt(transport, request);
    if (last.started) {
      ever_started_ = true;
      if (!last.early) last.incident = hindrance;
      return last;
    }
    hindrance += (hindrance.empty() ? "" : "; then ") + last.incident;
    listener_(request.case_, last.incident);
  }
  hindrance += "; that was start " + std::to_string(kMostStarts) + ", none succeeded";
  if (!ever_started_ || ++gave_up_ > kMostGivenUp) throw NoRanks(hindrance);
  last.early = false;  // it is unrepeatable
  last.observation.incident = hindrance;
  return last;
}

bool RunLab::may_differ(const Transport& transport, const Attempt& attempt) const {
  const bool lost = lost_rank(attempt.observation) != nullptr;
  return attempt.early && (lost || !transport.repeats_itself());
}

// A rank that is lost, or an error where ranks run in time of their own, counts once it came twice
// in the same way, or whenever it was tried.
Observation RunLab::run(const Request& request) {
  const auto found = transports_.find(request.case_.transport);
  TORCH_CHECK(found != transports_.end(), "no transport '", request.case_.transport,
              "' in this lab");
  Transport& transport = *found->second;
  Attempt last = started_attempt(transport, request);
  std::string incident = last.incident;
  for (int runs = 1; runs < kMostRuns && may_differ(transport, last); ++runs) {
    believed_ = believed_ || hasty_;
    if (hasty_ || (transport.outlives_errors() && confirmed_.contains(kind_of(last.incident))))
      break;
    listener_(request.case_, last.incident);
    const bool on_kept_ranks = transport.restart();
    Attempt next = started_attempt(transport, request);
    if (on_kept_ranks && !next.early) incident = next.incident;  // they held what errors left
    if (next.early) incident += "; then " + next.incident;
    const bool alike = next.early && next.ending == last.ending && !next.outside;
    last = std::move(next);
    if (alike) confirmed_.insert(kind_of(last.incident));
    if (alike) break;
  }
  Observation& observation = last.observation;
  if (!last.early && observation.incident.empty() && !incident.empty()) {
    observation.incident = incident + "; on fresh ranks that did not happen again";
  }
  observation.unrepeatable = !observation.incident.empty();
  return std::move(observation);
}

bool RunLab::hurry(bool on) {
  hasty_ = on;
  for (auto& [name, transport] : transports_) transport->hurry(on);
  return std::exchange(believed_, false);
}

const Observation& RunLab::observe(const Request& request) {
  const std::string text = to_text(request);
  if (const Observation* known = memory_.observation(text)) {
    ++counts_.recalls;
    return of_no_refusal(request, *known);
  }
  return of_no_refusal(request, memory_.keep(text, run(request)));
}

const Expected& RunLab::expected(const Request& request) {
  const auto context = bound_context(request, contract(request.case_));
  const std::string key = expectation_key(request, context);
  const Expected* known = memory_.expected(key);
  return known != nullptr ? *known : memory_.keep(key, expect(request, context));
}

Support RunLab::carries(const Case& c) const {
  const auto transport = transports_.find(c.transport);
  if (transport == transports_.end()) return Support::no("no transport '" + c.transport + "'");
  const Support mesh = transport->second->supports(c.mesh);
  return mesh && !c.schedule.empty() ? transport->second->follows(c.schedule) : mesh;
}

Support RunLab::supports(const Case& c) {
  if (const Support carried = carries(c); !carried) return carried;
  const Support reached = attncheck::reaches(registry_, c, transports_.at(c.transport)->device());
  const Support said = reached ? registry_.supports(c) : reached;
  if (!said || !registry_.may_refuse_calls(c)) return said;
  return asked_.answer(c, [this](const Request& request) { return only_run(request); });
}

// A run apart from those that are judged: no incident, and not remembered.
Observation RunLab::only_run(const Request& request) {
  const auto replies = replies_of(*transports_.at(request.case_.transport), request);
  return observation_of(replies, culprit_of(replies));
}

const BackendContract* RunLab::contract(const Case& c) {
  const Backend* backend = registry_.backend_of(c);
  return backend == nullptr ? nullptr : &backend->contract;
}

Method RunLab::method(const Case& c) {
  const Implementation* implementation = registry_.implementation(c.impl);
  return implementation == nullptr ? Method::other : implementation->method;
}

const Collective* RunLab::collective(const Case& c) {
  return registry_.collective(c.impl);
}

}  // namespace attncheck

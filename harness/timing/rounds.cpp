#include "harness/timing/rounds.h"

#include <algorithm>
#include <cmath>

namespace attncheck::timing {
namespace {

using Outcome = RankReply::Outcome;

constexpr double kProbeFlop = 1e10;
// Ranks share cores and memory, wait for each other, and may be a kernel's slower callers.
constexpr double kSlack = 20;

double flop_of(const Problem& problem) {
  const Products products = products_of(problem);
  return products.forward + products.backward;
}

std::string why_lost(const RankReply& reply) {
  if (reply.outcome != Outcome::silent) return reply.note;
  return reply.note + "; --rank-timeout S gives a round more seconds";
}

std::vector<RankTimes> times_of(const std::vector<RankReply>& replies) {
  std::vector<RankTimes> times;
  std::string thrown;
  for (size_t rank = 0; rank < replies.size(); ++rank) {
    const std::string who = "rank " + std::to_string(rank) + ": ";
    if (replies[rank].outcome == Outcome::bystander) continue;
    if (replies[rank].outcome != Outcome::answered) throw NotTimed(who + why_lost(replies[rank]));
    times.push_back(rank_times_from_bytes(replies[rank].bytes));
    if (thrown.empty() && !times.back().error.empty()) thrown = who + times.back().error;
  }
  if (!thrown.empty()) throw NotTimed(thrown);
  if (times.size() != replies.size()) throw NotTimed("a rank did not answer");
  return times;
}

std::vector<RankTimes> round_of(Transport& transport, const TimingRequest& request, int ranks) {
  Launch launch;
  launch.mesh = {ranks, 1};
  launch.placement = whole_world(launch.mesh);
  launch.request = to_text(request);
  return times_of(transport.run(launch));
}

void append(const std::vector<RankTimes>& round, std::vector<RankTimes>& all) {
  const auto join = [](std::vector<double>& seconds, const std::vector<double>& more) {
    seconds.insert(seconds.end(), more.begin(), more.end());
  };
  for (size_t rank = 0; rank < round.size(); ++rank) {
    for (size_t i = 0; i < round[rank].laps.size(); ++i) {
      Laps& laps = all[rank].laps.at(i);
      join(laps.forward, round[rank].laps[i].forward);
      join(laps.backward, round[rank].laps[i].backward);
    }
  }
}

}  // namespace

std::vector<RankTimes> timed_rounds(Transport& transport, const TimingRequest& request, int ranks,
                                    int repetitions, const AfterRound& after) {
  std::vector<RankTimes> all;
  for (int round = 0; round <= repetitions; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<RankTimes> times = round_of(transport, request, ranks);
    if (round < 2) {
      all = times;
    } else {
      append(times, all);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (after) after(round, took.count());
  }
  return all;
}

Problem probe_of(const Problem& problem) {
  Problem probe = problem;
  const double factor = std::min(1.0, std::sqrt(kProbeFlop / flop_of(problem)));
  const auto tokens = static_cast<int64_t>(static_cast<double>(problem.q_len) * factor);
  probe.q_len = probe.kv_len = std::max<int64_t>(1, tokens);
  return probe;
}

std::chrono::milliseconds round_limit(double probe_seconds, const Problem& probe,
                                      const Problem& problem, size_t passes) {
  const double kernel = probe_seconds * flop_of(problem) / flop_of(probe);
  const std::chrono::duration<double> limit(kSlack * kernel * static_cast<double>(passes));
  return std::chrono::duration_cast<std::chrono::milliseconds>(limit);
}

void allow_for(Transport& transport, const Case& kernel, size_t passes, int ranks) {
  TimingRequest request{{kernel}, {}};
  Problem& probe = request.passes.front().problem;
  probe = probe_of(kernel.problem);
  const Laps laps = timed_rounds(transport, request, ranks, 1).at(0).laps.at(0);
  const double seconds = laps.forward.at(0) + laps.backward.at(0);
  transport.allow(round_limit(seconds, probe, kernel.problem, passes));
}

}  // namespace attncheck::timing

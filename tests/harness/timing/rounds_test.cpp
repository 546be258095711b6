#include "harness/timing/rounds.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck::timing {
namespace {

using std::chrono::milliseconds;

Problem problem_of(int64_t tokens) {
  Problem problem = parse_case("impl=local mesh=1x1 q=8 h=24 d=128").problem;
  problem.q_len = problem.kv_len = tokens;
  return problem;
}

double flop_of(const Problem& problem) {
  const Products products = products_of(problem);
  return products.forward + products.backward;
}

TEST(Probe, IsAsMuchWorkForEveryLongProblem) {
  for (int64_t tokens : {4096, 32768, 131072}) {
    const Problem probe = probe_of(problem_of(tokens));
    EXPECT_EQ(probe.kv_len, probe.q_len);
    EXPECT_NEAR(flop_of(probe), 1e10, 1e8) << tokens;
    EXPECT_EQ(probe.heads, 24);
  }
}

TEST(Probe, OfAShortProblemIsTheProblem) {
  EXPECT_EQ(probe_of(problem_of(64)), problem_of(64));
  EXPECT_EQ(probe_of(problem_of(1)), problem_of(1));
}

TEST(RoundLimit, GrowsAsTheProductsAndThePassesDo) {
  const Problem probe = problem_of(256), problem = problem_of(1024);
  EXPECT_EQ(round_limit(0.5, probe, problem, 1), milliseconds(20 * 500 * 16));
  EXPECT_EQ(round_limit(0.5, probe, problem, 7), milliseconds(7 * 20 * 500 * 16));
}

// One rank, whose rounds take 100 s, 101 s and so on.
class Rounds : public Transport {
 public:
  std::string name() const override { return "rounds"; }
  Support supports(const Mesh&) const override { return Support::yes(); }
  std::vector<RankReply> run(const Launch&) override {
    RankTimes times;
    times.laps = {{{seconds}, {2 * seconds}}};
    seconds += 1;
    std::vector<RankReply> replies(1);
    replies[0].bytes = to_bytes(times);
    return replies;
  }
  double seconds = 100;
};

TEST(TimedRounds, AreAllButTheFirst) {
  Rounds transport;
  std::vector<int> told;
  const auto tell = [&told](int round, double) { told.push_back(round); };
  const std::vector<RankTimes> times = timed_rounds(transport, {}, 1, 3, tell);
  EXPECT_EQ(times.at(0).laps.at(0).forward, (std::vector<double>{101, 102, 103}));
  EXPECT_EQ(times.at(0).laps.at(0).backward, (std::vector<double>{202, 204, 206}));
  EXPECT_EQ(told, (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace attncheck::timing

#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=2x1 q=4 h=2 d=3 seed=1";

TEST(SupportedCase, FailsWithTheRankAndTheText) {
  OracleLab lab;
  lab.fail(1, Phase::backward, "shapes do not fit");
  const Verdict verdict = judge("supported_case_runs_to_the_end", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_NE(verdict.evidence->message.find("backward"), std::string::npos);
  EXPECT_NE(verdict.evidence->message.find("shapes do not fit"), std::string::npos);
}

TEST(SupportedCase, IsNotRunWhenADeathDidNotRepeat) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) { observation.unrepeatable = true; });
  EXPECT_EQ(judge("supported_case_runs_to_the_end", kCase, lab).kind, Verdict::Kind::not_run);
}

// As a rank's process would say it.
void leave_threads(RankResult& rank, const std::string& process) {
  rank.facts["threads_left"] = "2";
  rank.facts["process"] = process;
}

TEST(SupportedCase, FailsWhereEachRunLeavesThreads) {
  OracleLab lab;
  lab.plant(
      [](const Request&, Observation& observation) { leave_threads(observation.ranks[1], "7"); });
  const Verdict verdict = judge("supported_case_runs_to_the_end", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->got, "2 more, and 2 more after an equal run");
}

TEST(SupportedCase, HoldsWhereThreadsStartOnce) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.repeat == 0) leave_threads(observation.ranks[1], "7");
  });
  EXPECT_EQ(judge("supported_case_runs_to_the_end", kCase, lab).kind, Verdict::Kind::pass);
}

TEST(SupportedCase, HoldsWhereAnotherProcessStartsItsThreads) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    leave_threads(observation.ranks[1], request.repeat == 0 ? "7" : "8");
  });
  EXPECT_EQ(judge("supported_case_runs_to_the_end", kCase, lab).kind, Verdict::Kind::pass);
}

OracleLab refusing_lab() {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.mesh.ulysses == 1 ? Support::yes() : Support::no("needs mesh Rx1");
  };
  return lab;
}

constexpr const char* kRefused = "impl=ring mesh=1x2 q=4 h=2 d=3 seed=1";

TEST(Refusal, PassesWhenEveryRankThrows) {
  OracleLab lab = refusing_lab();
  EXPECT_EQ(judge("refusal_is_an_error_on_every_rank", kRefused, lab).kind, Verdict::Kind::pass);
}

TEST(Refusal, IsUnsupportedOnACaseThatIsNotRefused) {
  OracleLab lab = refusing_lab();
  EXPECT_EQ(judge("refusal_is_an_error_on_every_rank", kCase, lab).kind,
            Verdict::Kind::unsupported);
}

TEST(Refusal, FailsWhenOneRankReturns) {
  OracleLab lab = refusing_lab();
  lab.plant([](const Request& request, Observation& observation) {
    EXPECT_TRUE(request.forced);
    observation.ranks[1].error.reset();
    observation.ranks[1].tensors["out"] = at::Tensor();
  });
  const Verdict verdict = judge("refusal_is_an_error_on_every_rank", kRefused, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->got, "returned a result");
}

TEST(Refusal, FailsOnADeadlockAndOnADeadRank) {
  for (const RankError& error :
       {RankError{Phase::forward, "deadlock: rank 0 waits"}, RankError{Phase::process, "died"}}) {
    OracleLab lab = refusing_lab();
    lab.plant(
        [&](const Request&, Observation& observation) { observation.ranks[0].error = error; });
    EXPECT_TRUE(judge("refusal_is_an_error_on_every_rank", kRefused, lab).failed()) << error.text;
  }
}

TEST(Refusal, DoesNotSpeakOfWhatACallCannotSee) {
  EXPECT_FALSE(applies("refusal_is_an_error_on_every_rank", std::string(kRefused) + " dlse=1"));
  EXPECT_TRUE(applies("refusal_is_an_error_on_every_rank", kRefused));
}

}  // namespace
}  // namespace attncheck

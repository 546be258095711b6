#include <tuple>

#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=2x1 b=2 q=4 kv=6 h=2 d=3 seed=1";

TEST(GivenInputs, AreComparedBitByBitAfterEachStep) {
  for (const char* changed : {"q_after_forward", "k_after_forward", "dout_after_backward"}) {
    OracleLab lab;
    lab.add(1, changed, 1e-15);
    const Verdict verdict = judge("inputs_are_not_modified", kCase, lab);
    ASSERT_TRUE(verdict.failed()) << changed;
    EXPECT_EQ(verdict.evidence->rank, 1);
    const std::string name(changed);
    EXPECT_EQ(verdict.evidence->tensor, name.substr(0, name.find('_')));
    EXPECT_NE(verdict.evidence->message.find(name.substr(name.rfind('_') + 1)), std::string::npos);
  }
}

TEST(GivenInputs, AreJudgedAfterTheForwardWhenTheBackwardThrows) {
  OracleLab lab;
  lab.fail(0, Phase::backward, "boom");
  lab.add(1, "v_after_forward", 1);
  EXPECT_TRUE(judge("inputs_are_not_modified", kCase, lab).failed());
}

constexpr const char* kViews = "views_and_strides_do_not_matter";
const std::string kViewCase = std::string(kCase) + " view=permuted";

bool on_views(const Request& request) {
  return !request.contiguous;
}

TEST(Views, ThatGiveSomethingElseThanCopiesFail) {
  OracleLab right;
  EXPECT_EQ(judge(kViews, kViewCase, right).kind, Verdict::Kind::pass);
  OracleLab lab;
  lab.add_when(on_views, 1, "dv", 1e-6);
  const Verdict verdict = judge(kViews, kViewCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dv");
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_NE(verdict.evidence->message.find("contiguous copies"), std::string::npos);
  EXPECT_GT(verdict.evidence->bound, 0);
}

TEST(Views, ThatAloneThrowFail) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (!on_views(request)) return;
    observation.ranks[1].error = RankError{Phase::forward, "view size is not compatible"};
    observation.ranks[1].tensors.clear();
  });
  const Verdict verdict = judge(kViews, kViewCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  OracleLab both;
  both.fail(1, Phase::forward, "boom");
  EXPECT_EQ(judge(kViews, kViewCase, both).kind, Verdict::Kind::not_run);
}

TEST(Views, AreAskedForByTheCase) {
  EXPECT_FALSE(applies(kViews, kCase));
  EXPECT_TRUE(applies(kViews, kViewCase));
}

constexpr const char* kPeak = "peak_memory_stays_within_shards";
const std::string kPeakCase = "impl=ring mesh=2x1 b=2 q=4 h=2 d=3 seed=1 transport=";

// Every run takes nothing, the kernel alone too; the first `runs` of the mesh a gigabyte on rank 1.
void hold_a_block_too_many(OracleLab& lab, int runs) {
  lab.plant([runs](const Request& request, Observation& observation) {
    for (RankResult& rank : observation.ranks) rank.peak_bytes = 0;
    if (request.repeat < runs && observation.ranks.size() > 1)
      observation.ranks[1].peak_bytes = int64_t{1} << 30;
  });
}

TEST(PeakMemory, OfProcessesIsHeldInEveryRun) {
  for (const auto& [runs, transport, fails] :
       {std::tuple(1, "sim", true), std::tuple(1, "gloo", false), std::tuple(2, "gloo", false),
        std::tuple(3, "gloo", true)}) {
    OracleLab lab;
    lab.declared_method = Method::ring;
    hold_a_block_too_many(lab, runs);
    const Verdict verdict = judge(kPeak, kPeakCase + transport, lab);
    EXPECT_EQ(verdict.failed(), fails) << runs << " " << transport;
    EXPECT_NE(verdict.kind, Verdict::Kind::unsupported) << verdict.reason;
  }
}

}  // namespace
}  // namespace attncheck

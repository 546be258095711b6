#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=2x1 b=2 q=4 kv=6 h=2 hkv=1 d=3 seed=1";

TEST(Values, NameTheTensorAndTheRankOfAPlantedFault) {
  const std::pair<const char*, const char*> owners[] = {{"out", "output_matches_reference"},
                                                        {"lse", "lse_matches_reference"},
                                                        {"dq", "gradients_match_reference"},
                                                        {"dk", "gradients_match_reference"},
                                                        {"dv", "gradients_match_reference"}};
  for (const auto& [tensor, property] : owners) {
    OracleLab lab;
    lab.add(1, tensor, 1e-6);
    const Verdict verdict = judge(property, kCase, lab);
    ASSERT_TRUE(verdict.failed()) << tensor;
    EXPECT_EQ(verdict.evidence->tensor, tensor);
    EXPECT_EQ(verdict.evidence->rank, 1);
    EXPECT_NEAR(verdict.evidence->error, 1e-6, 1e-9);
    EXPECT_GT(verdict.evidence->bound, 0);
    EXPECT_FALSE(verdict.evidence->index.empty());
  }
}

TEST(Values, OfTheForwardPassAreJudgedThoughBackwardThrew) {
  OracleLab lab;
  lab.fail(0, Phase::backward, "boom");
  EXPECT_EQ(judge("output_matches_reference", kCase, lab).kind, Verdict::Kind::pass);
  const Verdict verdict = judge("gradients_match_reference", kCase, lab);
  EXPECT_EQ(verdict.kind, Verdict::Kind::not_run);
  EXPECT_NE(verdict.reason.find("boom"), std::string::npos);
}

TEST(Values, ThatAreMissingWithoutAnErrorFail) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& o) { o.ranks[1].tensors.erase("dk"); });
  EXPECT_TRUE(judge("gradients_match_reference", kCase, lab).failed());
}

TEST(Values, DoNotApplyWhereThereIsNothing) {
  const std::string text = kCase;
  EXPECT_FALSE(applies("lse_matches_reference", text + " return_lse=0"));
  EXPECT_FALSE(applies("gradients_match_reference", text + " grad=none"));
  EXPECT_FALSE(applies("every_query_key_pair_counts_once", text + " data=large"));
  EXPECT_FALSE(applies("every_query_key_pair_counts_once", "impl=ring mesh=2x1 q=4000 d=1"));
}

// Half of the weight goes to a key that nobody holds: each pair's count stays 1.
TEST(PairCounts, SeeWeightThatGoesToNobodysKey) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    tensor_of(observation, 1, "out").mul_(0.5);
    tensor_of(observation, 1, "lse").add_(std::log(2.0));
  });
  const Verdict verdict = judge("every_query_key_pair_counts_once", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_NEAR(verdict.evidence->error, 0.5, 1e-9);
  EXPECT_NE(verdict.evidence->message.find("nobody's key"), std::string::npos);
}

constexpr const char* kLseGradient = "lse_gradient_flows_or_is_refused";

TEST(LseGradient, FailsWhenItIsDroppedInSilence) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.dlse.kind != Cotangent::Kind::random) return;
    if (request.dout.kind != Cotangent::Kind::zero) return;
    for (RankResult& rank : observation.ranks) rank.tensors.at("dq").zero_();
  });
  const Verdict verdict = judge(kLseGradient, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dq");
  EXPECT_NE(verdict.evidence->message.find("in silence"), std::string::npos);
}

TEST(LseGradient, MayBeRefusedByEveryRank) {
  OracleLab by_fact;
  by_fact.plant([](const Request&, Observation& observation) {
    for (RankResult& rank : observation.ranks) rank.facts["lse_requires_grad"] = "0";
  });
  EXPECT_EQ(judge(kLseGradient, kCase, by_fact).kind, Verdict::Kind::pass);
  OracleLab by_error;
  by_error.plant([](const Request& request, Observation& observation) {
    if (request.dlse.kind != Cotangent::Kind::random) return;
    for (RankResult& rank : observation.ranks) rank.error = RankError{Phase::backward, "no dlse"};
  });
  EXPECT_EQ(judge(kLseGradient, kCase, by_error).kind, Verdict::Kind::pass);
}

TEST(LseGradient, MayNotBeRefusedByOneRankAlone) {
  OracleLab by_fact;
  by_fact.plant([](const Request&, Observation& observation) {
    observation.ranks[1].facts["lse_requires_grad"] = "0";
  });
  EXPECT_EQ(judge(kLseGradient, kCase, by_fact).evidence->rank, 1);
  OracleLab by_error;
  by_error.plant([](const Request& request, Observation& observation) {
    if (request.dlse.kind == Cotangent::Kind::random)
      observation.ranks[1].error = RankError{Phase::backward, "no dlse"};
  });
  EXPECT_TRUE(judge(kLseGradient, kCase, by_error).failed());
}

TEST(LseGradient, IsNotRunWhenThePlainRunFails) {
  OracleLab lab;
  for (int rank : {0, 1}) lab.fail(rank, Phase::forward, "boom");
  EXPECT_EQ(judge(kLseGradient, kCase, lab).kind, Verdict::Kind::not_run);
}

constexpr const char* kGrowth = "error_does_not_grow_with_ring_degree";
constexpr const char* kNarrow = "impl=ring mesh=2x1 b=2 q=16 h=8 d=8 dtype=bf16 seed=1";

OracleLab wrong_on_ring_degree(int degree, double delta) {
  OracleLab lab;
  lab.add_when([degree](const Request& request) { return request.case_.mesh.ring == degree; }, 0,
               "out", delta);
  return lab;
}

TEST(ErrorGrowth, FailsWhereTheErrorOfManyRanksIsGreaterOrNoNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double delta : {10.0, nan}) {
    OracleLab lab = wrong_on_ring_degree(8, delta);
    const Verdict verdict = judge(kGrowth, kNarrow, lab);
    ASSERT_TRUE(verdict.failed()) << delta;
    EXPECT_EQ(verdict.evidence->tensor, "out");
  }
  OracleLab right;
  EXPECT_EQ(judge(kGrowth, kNarrow, right).kind, Verdict::Kind::pass);
}

// 16 different numbers in 2176 elements: their errors are no sample of anything.
TEST(ErrorGrowth, NeedsElementsThatAreNotAllAlike) {
  const std::string text = "impl=ring mesh=2x1 b=2 q=17 kv=19 h=8 hkv=1 d=8 dtype=f16";
  EXPECT_TRUE(applies("error_does_not_grow_with_ring_degree", text));
  EXPECT_FALSE(applies("error_does_not_grow_with_ring_degree", text + " scale=0"));
}

TEST(ErrorGrowth, IsNotRunWithoutAMeasure) {
  OracleLab lab = wrong_on_ring_degree(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(judge(kGrowth, kNarrow, lab).kind, Verdict::Kind::not_run);
}

constexpr const char* kBlocks = "key_blocks_sum_to_the_whole";
constexpr const char* kAlone = "impl=local mesh=1x1 b=2 q=4 kv=6 h=2 d=3 seed=1";

TEST(KeyBlocksSum, NamesTheTensorThatTheBlocksGetWrongAndTheirLengths) {
  for (const char* tensor : {"out", "lse", "dq", "dk", "dv"}) {
    OracleLab lab;
    lab.add_when([](const Request& request) { return request.key_blocks > 0; }, 0, tensor, 1e-6);
    EXPECT_EQ(judge("gradients_match_reference", kAlone, lab).kind, Verdict::Kind::pass);
    const Verdict verdict = judge(kBlocks, kAlone, lab);
    ASSERT_TRUE(verdict.failed()) << tensor;
    EXPECT_EQ(verdict.evidence->tensor, tensor);
    EXPECT_NE(verdict.evidence->message.find("blocks of ("), std::string::npos)
        << verdict.evidence->message;
  }
}

TEST(KeyBlocksSum, SpeaksOfBackendsWithALogSumExpAndSeveralKeys) {
  EXPECT_TRUE(applies(kBlocks, kAlone));
  EXPECT_FALSE(applies(kBlocks, std::string(kAlone) + " return_lse=0"));
  EXPECT_FALSE(applies(kBlocks, "impl=local mesh=1x1 q=4 kv=1 d=3"));
}

TEST(KeyBlocksSum, IsUnsupportedWhereTheBackendRefusesABlock) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.problem.kv_len == 6 ? Support::yes() : Support::no("6 keys alone");
  };
  const Verdict verdict = judge(kBlocks, kAlone, lab);
  EXPECT_EQ(verdict.kind, Verdict::Kind::unsupported);
  EXPECT_NE(verdict.reason.find("6 keys alone"), std::string::npos);
}

constexpr const char* kPairs = "every_query_key_pair_counts_once";

TEST(PairCount, SeesKeysCountedTwiceEverywhere) {
  OracleLab lab;
  for (int rank : {0, 1}) {
    lab.plant([rank](const Request&, Observation& observation) {
      tensor_of(observation, rank, "lse").add_(0.6931471805599453);
    });
  }
  const Verdict verdict = judge(kPairs, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_NEAR(std::stod(verdict.evidence->got), 2, 1e-9);
  EXPECT_EQ(verdict.evidence->expected, "1");
  EXPECT_NEAR(verdict.evidence->error, 1, 1e-9);
}

TEST(PairCount, NamesQueryAndKeyOfOnePairThatIsMissing) {
  OracleLab lab;
  // Key 4 of rank 1 lies in column 4: batch group 1, component 1. Query 3 is row 1 of rank 1.
  lab.plant([](const Request&, Observation& observation) {
    tensor_of(observation, 1, "out")[2 + 1][1][0][1].zero_();
  });
  const Verdict verdict = judge(kPairs, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->shard, 1);
  EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{3, 1, 0, 1}));
  EXPECT_NE(verdict.evidence->message.find("query 3"), std::string::npos);
  EXPECT_NE(verdict.evidence->message.find("counts key 4 of shard 1 0 times"), std::string::npos)
      << verdict.evidence->message;
}

TEST(PairCount, SeesAMaskedPair) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    tensor_of(observation, 0, "out")[0][0][0][1].fill_(1e-3);
  });
  const Verdict verdict = judge(kPairs, "impl=ring mesh=2x1 q=4 d=4 causal=1 seed=1", lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->expected, "0");
  EXPECT_NE(verdict.evidence->message.find("weighs key 1"), std::string::npos);
}

}  // namespace
}  // namespace attncheck

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kMatches = "model_matches_single_rank";
constexpr const char* kAgree = "replicated_inputs_agree_on_all_ranks";
constexpr const char* kCase = "impl=model:any mesh=4x1 q=4 d=2";

// Scales a tensor on every rank of a mesh, and leaves the single rank alone.
OracleLab::Plant scaled(const std::string& tensor, double factor) {
  return [=](const Request& request, Observation& observation) {
    if (request.case_.mesh.world() == 1) return;
    for (size_t rank = 0; rank < observation.ranks.size(); ++rank) {
      tensor_of(observation, static_cast<int>(rank), tensor).mul_(factor);
    }
  };
}

Verdict matches_with(const OracleLab::Plant& plant) {
  OracleLab lab;
  lab.plant(plant);
  return judge(kMatches, kCase, lab);
}

TEST(Models, ThatAreRightPass) {
  for (const char* dtype : {"f64", "f32", "bf16"}) {
    OracleLab lab;
    const std::string text = std::string(kCase) + " dtype=" + dtype;
    EXPECT_EQ(judge(kMatches, text, lab).kind, Verdict::Kind::pass) << dtype;
    EXPECT_EQ(judge(kAgree, text, lab).kind, Verdict::Kind::pass) << dtype;
  }
  EXPECT_FALSE(applies(kMatches, "impl=model:any mesh=1x1 q=4 d=2").ok);
  EXPECT_FALSE(applies(kAgree, "impl=model:any mesh=1x1 q=4 d=2").ok);
}

TEST(Models, AreJudgedOnABackendOfHalfTypesAlone) {
  OracleLab lab;
  std::string exact_on;
  lab.plant([&](const Request& request, Observation& observation) {
    const Case& c = request.case_;
    const bool is_wide = c.problem.dtype != DType::bf16;
    if (is_wide && c.backend == "halves") {
      observation.ranks[0].error = RankError{Phase::forward, "takes bfloat16 alone"};
    } else if (c.problem.dtype == DType::f64) {
      exact_on = c.backend;
    }
  });
  const std::string text = std::string(kCase) + " dtype=bf16 backend=halves";
  EXPECT_EQ(judge(kMatches, text, lab).kind, Verdict::Kind::pass);
  EXPECT_EQ(exact_on, "math");
}

TEST(Models, NameTheParameterWhoseGradientIsLowByTheNumberOfRanks) {
  const Verdict verdict = matches_with(scaled("gradient of inner.weight", 0.25));
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "gradient of inner.weight");
  EXPECT_NE(verdict.evidence->message.find("got / expected is 0.25, low by the number of ranks"),
            std::string::npos)
      << verdict.evidence->message;
  EXPECT_GT(verdict.evidence->bound, 0);
}

TEST(Models, SayWhenAGradientIsTimesTheNumberOfRanks) {
  const Verdict verdict = matches_with(scaled("gradient of outer.weight", 4));
  ASSERT_TRUE(verdict.failed());
  EXPECT_NE(verdict.evidence->message.find("got / expected is 4, the number of ranks"),
            std::string::npos)
      << verdict.evidence->message;
}

TEST(Models, FailForOneElementOnOneRank) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.mesh.world() == 1) return;
    tensor_of(observation, 2, "gradient of inner.weight")[1][2].add_(1e-3);
  });
  const Verdict verdict = judge(kMatches, std::string(kCase) + " dtype=f32", lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 2);
  EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(verdict.evidence->message.find("tensors differ"), std::string::npos);
}

TEST(Models, SumTheLossOverTheRanks) {
  EXPECT_TRUE(matches_with(scaled("loss", 4)).failed());
  EXPECT_EQ(matches_with(scaled("loss", 4)).evidence->tensor, "loss");
  EXPECT_TRUE(matches_with(scaled("out", 1.001)).failed());
}

TEST(Models, MustGiveEveryGradientOnEveryRank) {
  const Verdict verdict = matches_with([](const Request& request, Observation& observation) {
    if (request.case_.mesh.world() == 1) return;
    observation.ranks[3].tensors.erase("gradient of outer.weight");
  });
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->got, "missing");
  EXPECT_EQ(verdict.evidence->rank, 3);
}

TEST(Models, AreNotJudgedAfterAnErrorOrWithoutASingleRank) {
  OracleLab lab;
  lab.fail(0, Phase::backward, "boom");
  EXPECT_EQ(judge(kMatches, kCase, lab).kind, Verdict::Kind::not_run);
  EXPECT_EQ(judge(kAgree, kCase, lab).kind, Verdict::Kind::not_run);
  EXPECT_EQ(matches_with([](const Request& request, Observation& observation) {
              if (request.case_.mesh.world() > 1) return;
              observation.ranks[0].error = RankError{Phase::forward, "boom"};
            }).kind,
            Verdict::Kind::not_run);
}

TEST(Models, HaveTheSameBitsWhereTheyHaveNoShards) {
  OracleLab lab;
  lab.add(3, "replicated input text", 1e-17);
  EXPECT_EQ(judge(kAgree, kCase, lab).kind, Verdict::Kind::pass);  // below half a unit: no change
  OracleLab other;
  other.add(3, "replicated input text", 1e-15);
  const Verdict verdict = judge(kAgree, kCase, other);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "replicated input text");
  EXPECT_EQ(verdict.evidence->rank, 3);
}

TEST(Models, MustReportWhatIsReplicated) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    for (RankResult& rank : observation.ranks) rank.tensors.erase("replicated input text");
  });
  EXPECT_EQ(judge(kAgree, kCase, lab).kind, Verdict::Kind::not_run);
}

}  // namespace
}  // namespace attncheck

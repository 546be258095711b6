#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=2x1 q=4 kv=6 h=2 d=3 seed=1";

TEST(GradientCount, FailsOnTheEnginesComplaint) {
  OracleLab lab;
  lab.fail(1, Phase::backward,
           "Function Ring returned an incorrect number of gradients (expected 12, got 11)");
  const Verdict verdict = judge("gradient_count_matches_inputs", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->got, "incorrect number of gradients (expected 12, got 11)");
}

TEST(GradientCount, IsNotRunOnAnotherError) {
  OracleLab lab;
  lab.fail(0, Phase::backward, "boom");
  EXPECT_EQ(judge("gradient_count_matches_inputs", kCase, lab).kind, Verdict::Kind::not_run);
}

TEST(RequiredGradients, NameTheOneThatIsMissing) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& o) { o.ranks[1].tensors.erase("dv"); });
  const Verdict verdict = judge("every_required_gradient_is_defined", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dv");
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(judge("every_required_gradient_is_defined", std::string(kCase) + " grad=qk", lab).kind,
            Verdict::Kind::pass);
}

TEST(WhoElseRequiresGrad, IsSeenByEverySubset) {
  const GradSet subsets[] = {{false, true, false}, {true, true, false}, {false, true, true}};
  for (const GradSet& subset : subsets) {
    OracleLab lab;
    lab.add_when([=](const Request& request) { return request.case_.grad == subset; }, 1, "dk",
                 1e-6);
    const Verdict verdict = judge("gradients_do_not_depend_on_who_else_requires_grad", kCase, lab);
    ASSERT_TRUE(verdict.failed()) << to_text(subset);
    EXPECT_EQ(verdict.evidence->tensor, "dk");
    EXPECT_EQ(verdict.evidence->rank, 1);
    EXPECT_NE(verdict.evidence->message.find("grad=" + to_text(subset)), std::string::npos);
  }
}

constexpr const char* kForm = "gradient_dtype_and_shape_match_input";

TEST(GradientForm, SeesAWrongDtypeAndAWrongShape) {
  OracleLab dtype, shape;
  dtype.plant([](const Request&, Observation& observation) {
    at::Tensor& dq = tensor_of(observation, 0, "dq");
    dq = dq.to(at::kFloat);
  });
  EXPECT_EQ(judge(kForm, kCase, dtype).evidence->got, "Float (1, 2, 2, 3)");
  shape.plant([](const Request&, Observation& observation) {
    at::Tensor& dk = tensor_of(observation, 0, "dk");
    dk = dk.narrow(2, 0, 1);
  });
  EXPECT_EQ(judge(kForm, kCase, shape).evidence->expected, "Double (1, 3, 2, 3)");
}

TEST(GradientForm, SeesValuesThatWereNarrower) {
  for (const char* dtype : {"f64", "f32"}) {
    OracleLab lab;
    lab.plant([](const Request&, Observation& observation) {
      if (observation.ranks.size() < 2) return;
      at::Tensor& dv = tensor_of(observation, 1, "dv");
      dv = dv.to(dv.scalar_type() == at::kDouble ? at::kFloat : at::kBFloat16).to(dv.scalar_type());
    });
    const Verdict verdict = judge(kForm, std::string(kCase) + " dtype=" + dtype, lab);
    ASSERT_TRUE(verdict.failed()) << dtype;
    EXPECT_EQ(verdict.evidence->tensor, "dv");
    EXPECT_EQ(verdict.evidence->rank, 1);
  }
}

TEST(GradientForm, SeesNarrowValuesSpreadOverSmallShards) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    for (RankResult& rank : observation.ranks) {
      at::Tensor& dv = rank.tensors.at("dv");
      dv = dv.to(at::kFloat).to(at::kDouble);
    }
  });
  EXPECT_TRUE(judge(kForm, "impl=ring mesh=4x1 q=4 h=2 d=1 seed=1", lab).failed());
}

TEST(GradientForm, SeesWhatTheBackendReturnsDirectly) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.impl != "local") return;
    at::Tensor& dk = tensor_of(observation, 0, "direct_dk");
    dk = dk.to(at::kFloat);
  });
  const Verdict verdict = judge(kForm, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "direct_dk");
}

TEST(Linearity, SeesAGradientThatIgnoresItsCotangent) {
  OracleLab lab;
  lab.plant([&](const Request& request, Observation& observation) {
    if (!request.backward || request.dout.kind == Cotangent::Kind::ones) return;
    Request ones = request;
    ones.dout.kind = Cotangent::Kind::ones;
    for (RankResult& rank : observation.ranks) {
      rank.tensors["dv"] = lab.observe(ones).ranks[rank.rank].tensors.at("dv").clone();
    }
  });
  const Verdict verdict = judge("vjp_is_linear_in_cotangent", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dv");
}

TEST(Linearity, SeesAGradientThatIsSquared) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.backward) tensor_of(observation, 1, "dq").square_();
  });
  const Verdict verdict = judge("vjp_is_linear_in_cotangent", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dq");
  EXPECT_EQ(verdict.evidence->rank, 1);
}

TEST(ZeroCotangent, SeesTheSmallestGradientAndNaN) {
  for (double value : {1e-300, std::nan("")}) {
    OracleLab lab;
    lab.add(1, "dk", value);
    const Verdict verdict = judge("zero_cotangent_gives_zero_gradient", kCase, lab);
    ASSERT_TRUE(verdict.failed());
    EXPECT_EQ(verdict.evidence->tensor, "dk");
    EXPECT_EQ(verdict.evidence->rank, 1);
    EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{0, 0, 0, 0}));
  }
}

}  // namespace
}  // namespace attncheck

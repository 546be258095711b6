#include <cmath>

#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=unified mesh=2x2 q=4 h=4 d=3 seed=1";

TEST(Mesh, NamesTheOneThatGivesSomethingElse) {
  OracleLab lab;
  lab.add_when([](const Request& request) { return request.case_.mesh.ring == 4; }, 0, "dk", 1e-6);
  const Verdict verdict = judge("mesh_does_not_matter", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dk");
  EXPECT_NE(verdict.evidence->message.find("that of mesh 4x1"), std::string::npos);
  EXPECT_GT(verdict.evidence->bound, 0);
}

TEST(Mesh, IsUnsupportedWhereThereIsNoOther) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.mesh.ring == 2 ? Support::yes() : Support::no("needs ring degree 2");
  };
  EXPECT_EQ(judge("mesh_does_not_matter", "impl=unified mesh=2x1 q=4 d=3", lab).kind,
            Verdict::Kind::unsupported);
  EXPECT_FALSE(applies("mesh_does_not_matter", "impl=unified mesh=1x1 q=4 d=3"));
}

TEST(Mesh, IsNotRunWhenTheOtherOneThrows) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.mesh.world() != 1) return;
    observation.ranks[0].tensors.clear();
    observation.ranks[0].error = RankError{Phase::forward, "boom"};
  });
  const Verdict verdict = judge("mesh_does_not_matter", kCase, lab);
  EXPECT_EQ(verdict.kind, Verdict::Kind::not_run);
  EXPECT_NE(verdict.reason.find("on mesh 1x1"), std::string::npos);
}

TEST(ReturnLse, ChangesNoBitOfTheRest) {
  constexpr const char* kProperty = "return_lse_changes_nothing_else";
  for (const char* flag : {"", " return_lse=0"}) {
    OracleLab right;
    const std::string text = std::string(kCase) + flag;
    EXPECT_EQ(judge(kProperty, text, right).kind, Verdict::Kind::pass);
    OracleLab lab;
    lab.add_when([](const Request& request) { return !request.case_.return_lse; }, 2, "dk", 1e-12);
    const Verdict verdict = judge(kProperty, text, lab);
    ASSERT_TRUE(verdict.failed());
    EXPECT_EQ(verdict.evidence->tensor, "dk");
    lab.backend_contract.deterministic = false;
    const Verdict within_bounds = judge(kProperty, text, lab);
    ASSERT_TRUE(within_bounds.failed());
    EXPECT_GT(within_bounds.evidence->bound, 0);
    OracleLab close;
    close.backend_contract.deterministic = false;
    close.add_when([](const Request& r) { return !r.case_.return_lse; }, 2, "dk", 1e-17);
    EXPECT_EQ(judge(kProperty, text, close).kind, Verdict::Kind::pass);
  }
}

TEST(ReturnLse, IsJudgedWhereBothAreSupported) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.return_lse ? Support::no("no log-sum-exp") : Support::yes();
  };
  EXPECT_EQ(
      judge("return_lse_changes_nothing_else", std::string(kCase) + " return_lse=0", lab).kind,
      Verdict::Kind::unsupported);
}

TEST(Twice, SeesOneBit) {
  OracleLab lab;
  lab.add_when([](const Request& request) { return request.repeat == 1; }, 2, "dq", 1e-15);
  const Verdict verdict = judge("same_case_twice_is_bitwise_equal", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dq");
  EXPECT_EQ(verdict.evidence->rank, 2);
}

TEST(Twice, IsNotAskedOfABackendThatPromisesNothing) {
  OracleLab lab;
  lab.backend_contract.deterministic = false;
  EXPECT_EQ(judge("same_case_twice_is_bitwise_equal", kCase, lab).kind, Verdict::Kind::unsupported);
}

TEST(Uninitialised, IsSeenAsNaNOrAsOtherBits) {
  for (double value : {std::nan(""), 1e16}) {
    OracleLab lab;
    lab.add_when([](const Request& request) { return request.poison == 0xFF; }, 1, "dv", value);
    const Verdict verdict = judge("nothing_uninitialised_is_read", kCase, lab);
    ASSERT_TRUE(verdict.failed()) << value;
    EXPECT_EQ(verdict.evidence->tensor, "dv");
    EXPECT_EQ(verdict.evidence->rank, 1);
  }
}

TEST(Uninitialised, IsNotBlamedForNaNOfThePlainRun) {
  OracleLab lab;
  lab.add(1, "dv", std::nan(""));
  EXPECT_EQ(judge("nothing_uninitialised_is_read", kCase, lab).kind, Verdict::Kind::pass);
}

TEST(TwoRuns, AreNotRunWhenNothingIsLeft) {
  OracleLab lab;
  lab.fail(0, Phase::forward, "boom");
  for (const char* property : {"same_case_twice_is_bitwise_equal", "nothing_uninitialised_is_read",
                               "mesh_does_not_matter"}) {
    EXPECT_EQ(judge(property, kCase, lab).kind, Verdict::Kind::not_run) << property;
  }
}

}  // namespace
}  // namespace attncheck

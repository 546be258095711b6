#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=unified mesh=2x2 b=2 q=8 kv=4 h=4 d=3 seed=1";
constexpr const char* kInterleaved = "two_configurations_do_not_interfere";
constexpr const char* kShapes = "changing_shapes_in_one_group_works";

bool interleaved(const Request& request) {
  return request.company == Company::interleaved;
}

TEST(Interleaved, BothOfThemAreComparedWithThemselvesAlone) {
  OracleLab right;
  EXPECT_EQ(judge(kInterleaved, kCase, right).kind, Verdict::Kind::pass);
  for (const auto& [tensor, whose] :
       {std::pair{"dq", "(the other: "}, std::pair{"other_dv", "(the second of them: "}}) {
    OracleLab lab;
    lab.add_when(interleaved, 3, tensor, 1e-12);
    const Verdict verdict = judge(kInterleaved, kCase, lab);
    ASSERT_TRUE(verdict.failed()) << tensor;
    EXPECT_EQ(verdict.evidence->rank, 3);
    EXPECT_NE(verdict.evidence->message.find(whose), std::string::npos);
  }
}

TEST(Interleaved, AnErrorThatNeitherHasAloneFails) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (interleaved(request)) observation.ranks[2].error = RankError{Phase::backward, "boom"};
  });
  const Verdict verdict = judge(kInterleaved, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 2);
  OracleLab always;
  always.fail(2, Phase::backward, "boom");
  EXPECT_EQ(judge(kInterleaved, kCase, always).kind, Verdict::Kind::not_run);
}

TEST(Interleaved, IsAnotherConfigurationThatTheSubjectSupports) {
  OracleLab lab;
  lab.supports_case = [](const Case& c) {
    return c.problem.head_dim % 8 == 0 ? Support::yes() : Support::no("head_dim");
  };
  Request seen;
  lab.plant([&](const Request& request, Observation&) {
    if (interleaved(request)) seen = request;
  });
  const char* text = "impl=ring mesh=3x1 q=9 kv=6 h=2 d=8 seed=2";
  EXPECT_EQ(judge(kInterleaved, text, lab).kind, Verdict::Kind::pass);
  const Problem &p = seen.case_.problem, &other = seen.companion.value().problem;
  EXPECT_NE(other.q_len, p.q_len);
  EXPECT_NE(other.kv_len, p.kv_len);
  EXPECT_NE(other.heads, p.heads);
  EXPECT_EQ(other.head_dim, 16);
  EXPECT_NE(effective_scale(other), effective_scale(p));
  EXPECT_NE(other.causal, p.causal);
}

TEST(Interleaved, ByTurnsIsOneOptionApartAtTheSameSizes) {
  int differences = 0;
  for (int seed = 1; seed < 17; seed += 2) {
    OracleLab lab;
    Request seen;
    lab.plant([&](const Request& request, Observation&) {
      if (interleaved(request)) seen = request;
    });
    const std::string text = "impl=ring mesh=3x1 q=9 kv=6 h=2 d=8 seed=" + std::to_string(seed);
    EXPECT_EQ(judge(kInterleaved, text, lab).kind, Verdict::Kind::pass) << text;
    Case one = seen.companion.value();
    EXPECT_NE(one.seed, seen.case_.seed);
    one.seed = seen.case_.seed;
    if (one == seen.case_) continue;
    ++differences;
    EXPECT_EQ(one.problem.q_len, 9);
    EXPECT_EQ(one.problem.kv_len, 6);
    EXPECT_EQ(one.problem.head_dim, 8);
  }
  EXPECT_EQ(differences, 7);  // and once there is nothing but other data
}

TEST(Interleaved, WhatAProcessKeepsIsSeenByTheReference) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.case_.seed == 2) tensor_of(observation, 1, "out").add_(1e-3);
    if (interleaved(request)) tensor_of(observation, 1, "other_out").add_(1e-3);
  });
  const Verdict verdict = judge(kInterleaved, kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_NE(verdict.evidence->message.find("from the reference in"), std::string::npos);
}

TEST(Shapes, ALargerAndASmallerOneGoBefore) {
  for (const bool larger : {true, false}) {
    OracleLab lab;
    lab.add_when(
        [=](const Request& request) {
          if (request.company != Company::before) return false;
          EXPECT_TRUE(request.fresh_ranks);
          return (request.companion.value().problem.batch > 2) == larger;
        },
        1, "lse", 1e-12);
    const Verdict verdict = judge(kShapes, kCase, lab);
    ASSERT_TRUE(verdict.failed()) << larger;
    EXPECT_EQ(verdict.evidence->tensor, "lse");
    EXPECT_NE(verdict.evidence->message.find("one after impl=unified"), std::string::npos);
  }
}

TEST(Shapes, TheSmallestHasALargerOneAlone) {
  OracleLab lab;
  EXPECT_EQ(judge(kShapes, "impl=ring mesh=1x1 q=1 d=1", lab).kind, Verdict::Kind::pass);
  EXPECT_EQ(lab.runs(), 2u);
}

TEST(Shapes, AnErrorAfterAnotherShapeFails) {
  OracleLab lab;
  lab.plant([](const Request& request, Observation& observation) {
    if (request.company != Company::before) return;
    observation.ranks[0].error = RankError{Phase::forward, "out of range"};
    observation.ranks[0].tensors.clear();
  });
  EXPECT_TRUE(judge(kShapes, kCase, lab).failed());
}

}  // namespace
}  // namespace attncheck

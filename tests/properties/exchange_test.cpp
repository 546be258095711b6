#include <gtest/gtest.h>

#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

constexpr const char* kCase = "impl=ring mesh=3x1 q=6 h=2 d=2 seed=1";

TEST(RemoteKeys, NamesQueryRankAndKeyRank) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    tensor_of(observation, 0, "out")[1][1][0][0].zero_();  // column 2: batch group 1, component 0
  });
  const Verdict verdict = judge("remote_keys_are_reached", kCase, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 0);
  EXPECT_EQ(verdict.evidence->shard, 2);
  EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{1, 1, 0, 0}));
  EXPECT_NE(verdict.evidence->message.find("query 1 of rank 0"), std::string::npos);
}

TEST(RemoteKeys, ApplyWhereSomeAreVisible) {
  EXPECT_FALSE(applies("remote_keys_are_reached", "impl=ring mesh=1x1 q=6 d=2"));
  EXPECT_TRUE(applies("remote_keys_are_reached", "impl=ring mesh=2x1 q=4 d=2 causal=1"));
  // The last query sees key 0 alone, and that is its own rank's... of rank 0; it is remote.
  EXPECT_TRUE(
      applies("remote_keys_are_reached", "impl=ring mesh=2x1 q=4 kv=2 d=2 causal=1 align=br"));
}

TEST(SelectedRows, ArriveWithAllTheirBits) {
  constexpr const char* kSelector =
      "impl=unified mesh=2x2 b=2 q=4 kv=8 h=4 hkv=2 d=2 dv=3 data=selector seed=1";
  for (const char* tensor : {"out", "dv"}) {
    OracleLab lab;
    EXPECT_EQ(judge("tagged_integers_arrive_bitwise", kSelector, lab).kind, Verdict::Kind::pass);
    OracleLab wrong;
    wrong.add(2, tensor, 1e-12);
    const Verdict verdict = judge("tagged_integers_arrive_bitwise", kSelector, wrong);
    ASSERT_TRUE(verdict.failed());
    EXPECT_EQ(verdict.evidence->tensor, tensor);
    EXPECT_EQ(verdict.evidence->rank, 2);
  }
  EXPECT_FALSE(applies("tagged_integers_arrive_bitwise", kCase));
}

// Sequence and rank change places: y[r][b, s, h, d] = x[s][b, r, h, d].
Collective transposition() {
  Collective collective;
  collective.name = "transposition";
  collective.input_shape = [](const Case& c) {
    return std::array<int64_t, 4>{c.problem.batch, c.mesh.world(), c.problem.heads,
                                  c.problem.head_dim};
  };
  collective.output_shape = collective.input_shape;
  collective.origin = [](const Case&, int rank, const std::array<int64_t, 4>& index) {
    return Origin{static_cast<int>(index[1]), {index[0], rank, index[2], index[3]}};
  };
  return collective;
}

constexpr const char* kCollective = "impl=collective:transposition mesh=3x1 q=9 h=2 d=2 seed=1";

OracleLab collective_lab() {
  OracleLab lab;
  lab.collective_subject = transposition();
  return lab;
}

TEST(Tags, TellWhoseElementCameInstead) {
  OracleLab right = collective_lab();
  EXPECT_EQ(judge("tagged_integers_arrive_bitwise", kCollective, right).kind, Verdict::Kind::pass);
  OracleLab lab = collective_lab();
  lab.plant([](const Request&, Observation& observation) {
    at::Tensor y = tensor_of(observation, 1, "y");
    y[0][2][0][0].copy_(y[0][0][1][1]);
  });
  const Verdict verdict = judge("tagged_integers_arrive_bitwise", kCollective, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->index, (std::vector<int64_t>{0, 2, 0, 0}));
  EXPECT_NE(verdict.evidence->expected.find("rank 2 at (0, 1, 0, 0)"), std::string::npos);
  EXPECT_NE(verdict.evidence->expected.find("that of rank 0 at (0, 1, 1, 1)"), std::string::npos);
}

TEST(Tags, SeeAnotherShape) {
  OracleLab lab = collective_lab();
  lab.plant([](const Request&, Observation& observation) {
    at::Tensor& y = tensor_of(observation, 0, "y");
    y = y.transpose(1, 2);
  });
  const Verdict verdict = judge("tagged_integers_arrive_bitwise", kCollective, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->got, "(1, 2, 3, 2)");
}

constexpr const char* kAdjoint = "collective_backward_is_its_adjoint";

TEST(Adjoint, SeesAGradientKeptFromItsOwner) {
  OracleLab right = collective_lab();
  EXPECT_EQ(judge(kAdjoint, kCollective, right).kind, Verdict::Kind::pass);
  OracleLab lab = collective_lab();
  lab.plant([](const Request& request, Observation& observation) {
    if (request.dout.kind != Cotangent::Kind::one_rank) return;
    tensor_of(observation, 2, "dx").zero_();
  });
  const Verdict verdict = judge(kAdjoint, kCollective, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dx");
  EXPECT_EQ(verdict.evidence->rank, 2);
  EXPECT_NE(verdict.evidence->message.find("rank 0 alone"), std::string::npos);
}

TEST(Adjoint, IsThatOfTheForwardThatRan) {
  // Twice the specified forward, twice its adjoint: consistent, though not as specified.
  OracleLab lab = collective_lab();
  lab.plant([](const Request&, Observation& observation) {
    for (RankResult& rank : observation.ranks) {
      for (auto& [name, tensor] : rank.tensors) tensor.mul_(2);
    }
  });
  EXPECT_EQ(judge(kAdjoint, kCollective, lab).kind, Verdict::Kind::pass);
  EXPECT_TRUE(judge("tagged_integers_arrive_bitwise", kCollective, lab).failed());
}

TEST(Adjoint, FailsWithoutAGradient) {
  OracleLab lab = collective_lab();
  lab.plant([](const Request&, Observation& o) { o.ranks[1].tensors.erase("dx"); });
  const Verdict verdict = judge(kAdjoint, kCollective, lab);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->rank, 1);
  EXPECT_EQ(verdict.evidence->got, "missing");
}

TEST(Adjoint, IsNotRunAfterAnError) {
  OracleLab lab = collective_lab();
  lab.fail(1, Phase::backward, "boom");
  EXPECT_EQ(judge(kAdjoint, kCollective, lab).kind, Verdict::Kind::not_run);
}

}  // namespace
}  // namespace attncheck

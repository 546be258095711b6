#include "harness/drive/provenance.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "harness/drive/contribution_table.h"
#include "problem/case_text.h"
#include "tests/properties/oracle_lab.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

const char* const kThree = "impl=subject mesh=3x1 q=6 h=2 d=3 seed=5";

bool right(const ContributionMatrix& matrix) {
  return std::all_of(matrix.begin(), matrix.end(), [](const auto& row) {
    return std::none_of(row.begin(), row.end(), [](const Contribution& c) { return c.fault(); });
  });
}

bool backward(const Observation& observation) {
  return observation.ranks[0].tensors.count("dk") > 0;
}

TEST(Provenance, ShowsNothingOfARightSubject) {
  OracleLab lab;
  for (const char* text :
       {kThree, "impl=subject mesh=2x2 q=8 kv=4 h=4 hkv=2 d=2 causal=1 align=br seed=3",
        "impl=subject mesh=3x1 q=3 d=1 dtype=f32 seed=2", "impl=subject mesh=1x1 q=4 d=2 seed=1"}) {
    const Provenance provenance = explain(parse_case(text), lab);
    EXPECT_FALSE(provenance.fault()) << provenance_text(provenance);
    EXPECT_TRUE(right(*provenance.out) && right(*provenance.dk) && right(*provenance.dv));
  }
}

TEST(Provenance, NamesTheOwnerThatAShardsGradientWentTo) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    if (backward(observation)) {
      std::swap(tensor_of(observation, 1, "dk"), tensor_of(observation, 2, "dk"));
    }
  });
  const Provenance provenance = explain(parse_case(kThree), lab);
  EXPECT_TRUE(provenance.fault());
  EXPECT_TRUE(right(*provenance.dv) && right(*provenance.out));
  for (int query_rank = 0; query_rank < 3; ++query_rank) {
    const auto& row = provenance.dk->at(query_rank);
    EXPECT_EQ(row[0].fate, Fate::ok);
    EXPECT_EQ(row[1].fate, Fate::delivered);
    EXPECT_EQ(row[1].at, std::vector<int>{2});
    EXPECT_EQ(row[2].at, std::vector<int>{1});
  }
  const std::string text = provenance_text(provenance);
  EXPECT_NE(text.find("right sum, wrong owner"), std::string::npos) << text;
  EXPECT_NE(text.find("dK of key shard 1: what query rank 0 adds arrives at rank 2"),
            std::string::npos)
      << text;
}

TEST(Provenance, TellsMissingDoubledAndWrongApart) {
  OracleLab lab;
  lab.plant([](const Request&, Observation& observation) {
    if (!backward(observation)) return;
    tensor_of(observation, 0, "dv").zero_();
    tensor_of(observation, 1, "dv").mul_(2);
    tensor_of(observation, 2, "dv").mul_(0.6);
  });
  const Provenance provenance = explain(parse_case(kThree), lab);
  for (const auto& row : *provenance.dv) {
    EXPECT_EQ(row[0].fate, Fate::missing);
    EXPECT_EQ(row[1].fate, Fate::doubled);
    EXPECT_EQ(row[2].fate, Fate::wrong);
  }
  EXPECT_NE(provenance_text(provenance).find("dV: the sum over ranks is wrong"), std::string::npos);
}

TEST(Provenance, ExpectsNothingOfMaskedShards) {
  OracleLab lab;
  const Provenance provenance =
      explain(parse_case("impl=subject mesh=2x1 q=4 d=2 causal=1 seed=3"), lab);
  EXPECT_EQ(provenance.dv->at(0)[1].fate, Fate::none);
  EXPECT_EQ(provenance.out->at(0)[1].fate, Fate::none);
  EXPECT_EQ(provenance.out->at(1)[0].fate, Fate::ok);
}

TEST(Provenance, NamesTheRankThatEndedInAnError) {
  OracleLab lab;
  lab.fail(1, Phase::backward, "expected 12 gradients, got 11");
  const Provenance provenance = explain(parse_case(kThree), lab);
  EXPECT_TRUE(provenance.fault());
  EXPECT_NE(provenance_text(provenance).find("expected 12 gradients, got 11"), std::string::npos);
}

TEST(Provenance, NamesTheRankWhoseDqIsWrong) {
  OracleLab lab;
  lab.add(2, "dq", 0.5);
  const Provenance provenance = explain(parse_case(kThree), lab);
  EXPECT_TRUE(provenance.dq[0].ok && provenance.dq[1].ok);
  EXPECT_FALSE(provenance.dq[2].ok);
}

TEST(Provenance, ShowsWhichShardsADqHasAPartOf) {
  OracleLab lab;
  lab.add(2, "dq", 0.5);
  const std::string text = provenance_text(explain(parse_case(kThree), lab));
  EXPECT_NE(text.find("dQ: which key shards each query rank's gradient has a part of\n"
                      "  key shard:          0      1      2\n"
                      "  query rank 0       ok     ok     ok\n"
                      "  query rank 1       ok     ok     ok\n"
                      "  query rank 2    wrong  wrong  wrong\n"
                      "  dQ of query rank 2 gives a wrong weight to key shards 0, 1, 2\n"),
            std::string::npos)
      << text;
}

size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Provenance, KeepsToAHundredColumns) {
  for (const char* mesh : {"10x1", "11x1", "16x1"}) {
    OracleLab lab;
    const Case c = parse_case(std::string("impl=subject q=22 d=1 seed=3 mesh=") + mesh);
    EXPECT_LE(widest_line(provenance_text(explain(c, lab))), 100u) << mesh;
  }
}

ContributionMatrix all_ok(size_t world) {
  return ContributionMatrix(world, std::vector<Contribution>(world));
}

TEST(ContributionTable, HasACharacterForEachOfManyShards) {
  ContributionMatrix matrix = all_ok(12);
  matrix[0][10] = {Contribution::Fate::delivered, {3}};
  matrix[0][11] = {Contribution::Fate::missing, {}};
  matrix[11] = std::vector<Contribution>(12, {Contribution::Fate::none, {}});
  matrix[11][0] = {Contribution::Fate::doubled, {0, 0}};
  matrix[11][1] = {Contribution::Fate::wrong, {}};
  const std::string text = contribution_table(matrix);
  EXPECT_EQ(text.find("  key shard:     0         10\n"
                      "  query rank 0   oooooooooo>-\n"
                      "  query rank 1   oooooooooooo\n"),
            0u)
      << text;
  EXPECT_NE(text.find("  query rank 11  2!..........\n"), std::string::npos) << text;
}

TEST(ContributionTable, SaysHowManyShardsItHasNoRoomFor) {
  const std::string text = contribution_table(all_ok(96));
  EXPECT_NE(text.find("  query rank 95  " + std::string(80, 'o') + "\n"), std::string::npos);
  EXPECT_NE(text.find("  (16 more key shards are not shown)\n"), std::string::npos) << text;
  EXPECT_LE(widest_line(text), 100u);
}

}  // namespace
}  // namespace attncheck

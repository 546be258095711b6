#include "problem/case_text.h"

#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(CaseText, DefaultsAreLeftOut) {
  Case c;
  c.impl = "ring";
  c.mesh = {3, 1};
  c.problem.q_len = c.problem.kv_len = 3;
  c.seed = 17;
  EXPECT_EQ(to_text(c), "impl=ring mesh=3x1 q=3 d=1 seed=17");
}

TEST(CaseText, ExplicitDefaultsMeanTheSame) {
  EXPECT_EQ(
      parse_case(
          "impl=ring backend=math transport=sim mesh=3x1 b=1 q=3 kv=3 h=1 hkv=1 d=1 dtype=f64 "
          "seed=17"),
      parse_case("seed=17 d=1 q=3 mesh=3x1 impl=ring"));
}

TEST(CaseText, PrintedCasesReadBackTheSame) {
  const std::string text =
      "impl=mutant:A10 backend=flash_cpu transport=gloo mesh=2x3 b=2 q=12 kv=18 h=6 hkv=3 d=5 dv=7 "
      "dtype=bf16 causal=1 align=br mask=additive:b11k window=5 scale=0.1 layout=zigzag "
      "shards=4,3,2,1,1,1 "
      "data=large "
      "view=permuted grad=qv dlse=1 dropout=0.25 return_lse=0 fp32=0 rotate=p2p order=ur "
      "schedule=pct:3:17 seed=18446744073709551615";
  EXPECT_EQ(to_text(parse_case(text)), text);
}

TEST(CaseText, AMaskHasAllAxesUnlessItSaysWhich) {
  const std::string text = "impl=ring mesh=2x1 q=4 d=1 mask=bool";
  EXPECT_EQ(parse_case(text).problem.mask_axes, MaskAxes::bhqk);
  EXPECT_EQ(parse_case(text + ":bk").problem.mask_axes, MaskAxes::bk);
  EXPECT_EQ(to_text(parse_case(text + ":bhqk")), text);
  EXPECT_EQ(to_text(parse_case(text + ":b1qk")), text + ":b1qk");
}

TEST(CaseText, DocumentsAndAWindowReadBackTheSame) {
  const std::string text = "impl=ring mesh=2x1 q=6 d=1 window=0 documents=1,3,2";
  EXPECT_EQ(to_text(parse_case(text)), text);
}

TEST(CaseText, JointTokensReadBackTheSame) {
  const std::string text = "impl=ring mesh=2x1 q=6 d=1 joint=rear:2";
  EXPECT_EQ(to_text(parse_case(text)), text);
  EXPECT_EQ(parse_case("impl=ring mesh=2x1 q=6 d=1 joint=none").problem.joint, Joint{});
}

TEST(CaseText, FollowersTakeTheirLeadersValueInAnyOrder) {
  const Case c = parse_case("kv=4 q=2 hkv=1 h=2 d=3 impl=ring mesh=1x1");
  EXPECT_EQ(c.problem.kv_len, 4);
  EXPECT_EQ(c.problem.q_len, 2);
  EXPECT_EQ(c.problem.kv_heads, 1);
  EXPECT_EQ(c.problem.v_head_dim, 3);
}

struct BadText {
  const char* text;
  size_t column;
  const char* part;
};

class CaseTextRefuses : public testing::TestWithParam<BadText> {};

void PrintTo(const BadText& bad, std::ostream* os) {
  *os << bad.text;
}

TEST_P(CaseTextRefuses, WithTheColumnAndTheReason) {
  try {
    parse_case(GetParam().text);
    FAIL() << "accepted";
  } catch (const CaseTextError& error) {
    EXPECT_EQ(error.column(), GetParam().column) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().part), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bad, CaseTextRefuses,
    testing::Values(BadText{"impl=ring mesh=2x1 q=2 d=1 hd=3", 28, "unknown key 'hd'"},
                    BadText{"impl=ring mesh=2x1 q=2 q=2 d=1", 24, "given twice"},
                    BadText{"impl=ring mesh=2 q=2 d=1", 11, "not RxU"},
                    BadText{"impl=ring mesh=2x1 q=0 d=1", 20, "size from 1"},
                    BadText{"impl=ring mesh=2x1 q=2.5 d=1", 20, "size from 1"},
                    BadText{"impl=ring mesh=2x1 q d=1", 20, "key=value"},
                    BadText{"impl=ring mesh=2x1 q=2", 23, "'d' is missing"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 dtype=fp64", 28, "f64|f32|bf16|f16"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 h=3 hkv=2", 32, "does not divide"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 grad=qq", 28, "subset of qkv"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 shards=1,1,1", 28, "3 lengths"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 mask=bool:qk", 28, "bhqk|b1qk|b11k|bk"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 mask=none:bk", 28, "there are no axes"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 joint=front", 28, "e.g. front:4"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 joint=none:1", 28, "e.g. front:4"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 joint=mid:1", 28, "none|front|rear"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 joint=front:2", 28, "leaves none of q=2"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 window=-1", 28, "places from 0"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 documents=1,0,1", 28, "outside 1 to"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 documents=1,2", 28, "adds up to 3"},
                    BadText{"impl=ring mesh=2x1 q=2 kv=4 d=1 documents=2", 33, "kv=4"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 seed=-1", 28, "whole number"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 scale=inf", 28, "not finite"},
                    BadText{"impl=ring mesh=2x1 q=2 d=1 dropout=1", 28, "probability"},
                    BadText{"impl= mesh=2x1 q=2 d=1", 1, "empty"},
                    BadText{"", 1, "'impl' is missing"}));

TEST(NearestName, FindsASlipOfTheFingerAndNothingFar) {
  EXPECT_EQ(nearest_name("rign", {"ring", "ulysses"}), "ring");
  EXPECT_EQ(nearest_name("zzzzzz", {"ring", "ulysses"}), "");
}

TEST(CausalDiagonal, FollowsTheAlignment) {
  Problem problem;
  problem.q_len = 4;
  problem.kv_len = 2;
  EXPECT_EQ(causal_diagonal(problem), std::nullopt);
  problem.causal = true;
  EXPECT_EQ(causal_diagonal(problem), 0);
  problem.align = Align::bottom_right;
  EXPECT_EQ(causal_diagonal(problem), -2);
}

TEST(VisibleBand, IsAWindowAroundTheOwnPlace) {
  Problem problem;
  problem.q_len = 4;
  problem.kv_len = 6;
  problem.window = 1;
  EXPECT_EQ(visible_band(problem).lower, -1);
  EXPECT_EQ(visible_band(problem).upper, 1);
  problem.align = Align::bottom_right;
  EXPECT_EQ(visible_band(problem).lower, 1);
  EXPECT_EQ(visible_band(problem).upper, 3);
  problem.causal = true;
  EXPECT_EQ(visible_band(problem).upper, 2);
}

}  // namespace
}  // namespace attncheck

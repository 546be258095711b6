#include "harness/callables/keywords.h"

#include <gtest/gtest.h>

#include "impl/ring/ring_attention.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

Support asked(const std::set<std::string>& takes, const std::string& words) {
  return supports_by_keywords(CallableDescription{"module:attention", takes},
                              parse_case("impl=module:attention transport=gloo " + words));
}

struct Ask {
  const char* keyword;
  const char* words;
};

TEST(CallableKeywords, EachLetsItsCasesIn) {
  const Ask kAsks[] = {
      {"is_causal", "mesh=1x1 q=4 d=1 return_lse=0 causal=1"},
      {"scale", "mesh=1x1 q=4 d=1 return_lse=0 scale=0.5"},
      {"return_lse", "mesh=1x1 q=4 d=1"},
      {"mask", "mesh=1x1 q=4 d=1 return_lse=0 mask=bool"},
      {"window", "mesh=1x1 q=4 d=1 return_lse=0 window=1"},
      {"documents", "mesh=1x1 q=4 d=1 return_lse=0 documents=1,3"},
      {"joint_tokens", "mesh=1x1 q=4 d=1 return_lse=0 joint=front:1"},
      {"convert_to_fp32", "mesh=1x1 q=4 d=1 return_lse=0 fp32=0"},
      {"rotate", "mesh=1x1 q=4 d=1 return_lse=0 rotate=p2p"},
      {"backend", "mesh=1x1 q=4 d=1 return_lse=0 backend=native"},
      {"layout", "mesh=1x1 q=4 d=1 return_lse=0 layout=zigzag"},
      {"group", "mesh=2x2 q=4 d=1 return_lse=0"},
      {"ring_group", "mesh=2x1 q=4 d=1 return_lse=0"},
      {"ulysses_group", "mesh=1x2 q=4 d=1 return_lse=0"},
  };
  for (const Ask& ask : kAsks) {
    SCOPED_TRACE(ask.words);
    EXPECT_TRUE(asked({ask.keyword}, ask.words).ok);
    const Support without = asked({}, ask.words);
    EXPECT_FALSE(without.ok);
    const std::string named =
        ask.keyword == std::string("ring_group") || ask.keyword == std::string("ulysses_group")
            ? "group"
            : ask.keyword;
    EXPECT_NE(without.reason.find("'" + named + "'"), std::string::npos) << without.reason;
  }
}

TEST(CallableKeywords, ARingGroupAloneIsNoUlysses) {
  EXPECT_FALSE(asked({"ring_group", "group"}, "mesh=1x2 q=4 d=1 return_lse=0").ok);
  EXPECT_FALSE(asked({"ring_group"}, "mesh=2x2 q=4 d=1 return_lse=0").ok);
  EXPECT_TRUE(asked({"ring_group", "ulysses_group"}, "mesh=2x2 q=4 d=1 return_lse=0").ok);
}

TEST(CallableKeywords, GroupsOfBothKindsAreAskedForWhatTheySayAlone) {
  const std::set<std::string> both{"ring_group", "ulysses_group", "layout"};
  const std::string on = " q=8 d=1 return_lse=0";
  EXPECT_FALSE(asked(both, "mesh=2x2 order=ur" + on).ok);
  EXPECT_FALSE(asked(both, "mesh=2x2 layout=zigzag" + on).ok);
  EXPECT_TRUE(asked(both, "mesh=2x2" + on).ok);
  EXPECT_TRUE(asked(both, "mesh=2x1 layout=zigzag" + on).ok);
  EXPECT_TRUE(asked({"group", "layout"}, "mesh=2x2 order=ur layout=zigzag" + on).ok);
}

TEST(CallableKeywords, ShardsOfOneLengthNeedNoKeyword) {
  EXPECT_TRUE(asked({"group"}, "mesh=2x1 q=4 kv=6 d=1 return_lse=0").ok);
  EXPECT_FALSE(asked({"group"}, "mesh=2x1 q=5 d=1 return_lse=0").ok);
  EXPECT_FALSE(asked({"group"}, "mesh=2x1 q=4 shards=1,3 d=1 return_lse=0").ok);
  EXPECT_TRUE(asked({"group", "shards"}, "mesh=2x1 q=4 shards=1,3 d=1 return_lse=0").ok);
}

TEST(CallableKeywords, RunWhereTensorsAreInTheMemoryOfTheCpu) {
  Case c = parse_case("impl=module:attention mesh=1x1 q=4 d=1 return_lse=0");
  const CallableDescription callable{"module:attention", {}};
  EXPECT_TRUE(supports_by_keywords(callable, c).ok);
  c.transport = "nccl";
  const Support nccl = supports_by_keywords(callable, c);
  EXPECT_FALSE(nccl.ok);
  EXPECT_NE(nccl.reason.find("transport=gloo"), std::string::npos) << nccl.reason;
}

TEST(CallableKeywords, OfABackendSayWhatHidesKeys) {
  Problem square = parse_case("impl=local mesh=1x1 q=4 d=1 causal=1").problem;
  Problem wide = parse_case("impl=local mesh=1x1 q=4 kv=6 d=1 causal=1").problem;
  const auto takes = [](const std::set<std::string>& keywords, const Problem& p) {
    return supports_by_keywords(CallableDescription{"module:Pair", keywords}, p).ok;
  };
  EXPECT_FALSE(takes({}, square));
  EXPECT_TRUE(takes({"is_causal"}, square));
  EXPECT_FALSE(takes({"is_causal"}, wide));
  EXPECT_TRUE(takes({"mask"}, wide));
  Problem striped = parse_case("impl=local mesh=1x1 q=4 d=1 causal=1 layout=striped").problem;
  EXPECT_FALSE(takes({"is_causal"}, striped));
  EXPECT_TRUE(takes({"mask"}, striped));
  EXPECT_TRUE(takes({"diagonal"}, striped));
  EXPECT_TRUE(takes({"diagonal"}, wide));
}

TEST(CallableKeywords, OfABackendSayTheDiagonalsOfARing) {
  const Backend square = described_backend({"module:Pair", {"is_causal"}});
  const Implementation ring = ring_implementation();
  const auto supported = [&](const std::string& words) {
    return ring.supports(parse_case("impl=ring transport=gloo d=1 causal=1 " + words), square).ok;
  };
  EXPECT_TRUE(supported("mesh=2x1 q=8"));
  EXPECT_TRUE(supported("mesh=2x1 q=8 layout=zigzag"));
  EXPECT_FALSE(supported("mesh=2x1 q=8 layout=striped"));
  EXPECT_FALSE(supported("mesh=2x1 q=7 kv=8"));  // of one length on rank 0 alone
}

}  // namespace
}  // namespace attncheck

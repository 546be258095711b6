#include "properties/masks.h"

#include <numeric>

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/inputs.h"
#include "properties/key_edits.h"
#include "properties/reference_inputs.h"
#include "properties/sight.h"
#include "properties/token_positions.h"
#include "reference/visibility.h"

namespace attncheck {
namespace {

const std::string kCase = "impl=ring mesh=3x1 b=2 q=13 kv=17 h=4 hkv=2 d=3 seed=5 layout=zigzag";

std::vector<int64_t> all(int64_t length) {
  std::vector<int64_t> positions(length);
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

at::Tensor whole_mask(const std::string& text) {
  const Request request = base_request(parse_case(text));
  return mask_of(request, all(request.case_.problem.q_len));
}

TEST(Masks, HaveTheAxesThatTheCaseSays) {
  const auto shape = [](const std::string& mask) {
    return whole_mask(kCase + " mask=" + mask).sizes().vec();
  };
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(shape("bool"), (Shape{2, 4, 13, 17}));
  EXPECT_EQ(shape("bool:b1qk"), (Shape{2, 1, 13, 17}));
  EXPECT_EQ(shape("additive:b11k"), (Shape{2, 1, 1, 17}));
  EXPECT_EQ(shape("additive:bk"), (Shape{2, 17}));
  EXPECT_EQ(whole_mask(kCase + " mask=bool").scalar_type(), at::kBool);
  EXPECT_EQ(whole_mask(kCase + " mask=additive dtype=bf16").scalar_type(), at::kBFloat16);
  EXPECT_FALSE(whole_mask(kCase).defined());
}

TEST(Masks, HidePairsQueriesAndRunsOfKeysButNotAll) {
  const at::Tensor mask = whole_mask("impl=ring mesh=2x1 b=4 q=64 kv=64 h=4 d=1 mask=bool");
  const double shown = mask.to(at::kDouble).mean().item<double>();
  EXPECT_GT(shown, 0.3);
  EXPECT_LT(shown, 0.7);
  EXPECT_GT(mask.any(-1).logical_not().sum().item<int64_t>(), 0);  // queries without keys
  const at::Tensor keys = mask.any(2).any(1);                      // (B, Skv)
  EXPECT_GT(keys.logical_not().sum().item<int64_t>(), 0);          // keys that nobody sees
}

TEST(Masks, OfARankAreTheRowsOfItsQueries) {
  const Request request = base_request(parse_case(kCase + " mask=additive"));
  const at::Tensor whole = mask_of(request, all(13));
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<int64_t> held = q_positions(request.case_, rank);
    const at::Tensor own = rank_inputs(request, rank).mask;
    ASSERT_EQ(own.size(2), static_cast<int64_t>(held.size()));
    for (size_t i = 0; i < held.size(); ++i) {
      EXPECT_TRUE(own.select(2, i).equal(whole.select(2, held[i])));
    }
  }
}

TEST(Masks, TakeTheColumnsOfEditedKeysAlong) {
  for (const KeyEdit edit : {KeyEdit::permuted, KeyEdit::duplicated}) {
    Request request = base_request(parse_case("impl=ring mesh=2x1 q=4 kv=8 d=1 h=2 mask=bool"));
    const at::Tensor plain = mask_of(request, all(4));
    request.key = edit;
    const at::Tensor edited = mask_of(request, all(4));
    const std::vector<int64_t> sources = key_sources(request);
    for (size_t j = 0; j < sources.size(); ++j) {
      EXPECT_TRUE(edited.select(3, j).equal(plain.select(3, sources[j])));
    }
  }
}

TEST(Masks, OfASmallerCaseHideTheSame) {
  const at::Tensor large = whole_mask("impl=ring mesh=2x1 b=2 q=6 kv=12 h=3 d=1 seed=9 mask=bool");
  const at::Tensor small = whole_mask("impl=ring mesh=2x1 b=1 q=4 kv=5 h=2 d=1 seed=9 mask=bool");
  EXPECT_TRUE(small.equal(large.slice(0, 0, 1).slice(1, 0, 2).slice(2, 0, 4).slice(3, 0, 5)));
}

// The judge's own sight, pair by pair, is what the reference computes with.
TEST(Sight, IsWhatTheReferenceSees) {
  for (const std::string more :
       {"", " causal=1", " causal=1 align=br", " window=2", " window=0 causal=1 align=br",
        " mask=bool", " mask=additive:b1qk causal=1", " kv=13 documents=4,2,7",
        " kv=13 documents=4,2,7 causal=1 window=3 mask=bool:bk"}) {
    std::string text = kCase + more;
    if (more.find("kv=13") != std::string::npos) text.erase(text.find("kv=17 "), 6);
    const Case c = parse_case(text);
    const Request request = base_request(c);
    const at::Tensor seen =
        reference::visibility(reference_inputs(request, global_inputs(request)));
    const Sight sight(c);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t h = 0; h < 4; ++h)
        for (int64_t i = 0; i < c.problem.q_len; ++i)
          for (int64_t j = 0; j < c.problem.kv_len; ++j)
            ASSERT_EQ(sight.sees(b, h, i, j), seen[b][h][i][j].item<bool>()) << text;
  }
}

// By hand: four tokens, a window of one, two documents of two tokens.
TEST(Sight, OfAWindowAndOfDocumentsIsAsDefined) {
  const auto row = [](const std::string& more, int64_t query) {
    const Case c = parse_case("impl=ring mesh=1x1 q=4 d=1" + more);
    const Sight sight(c);
    std::string seen;
    for (int64_t key = 0; key < 4; ++key) seen += sight.reaches(query, key) ? "x" : ".";
    return seen;
  };
  EXPECT_EQ(row(" window=1", 1), "xxx.");
  EXPECT_EQ(row(" window=1 causal=1", 2), ".xx.");
  EXPECT_EQ(row(" documents=2,2", 1), "xx..");
  EXPECT_EQ(row(" documents=2,2 causal=1", 2), "..x.");
  EXPECT_EQ(row(" documents=1,3 window=1", 1), ".xx.");
}

TEST(Sight, OfShardsFollowsTheWindow) {
  const Case c = parse_case("impl=ring mesh=4x1 q=8 d=1 window=1 causal=1");
  EXPECT_TRUE(sees_shard(c, 1, 0));
  EXPECT_FALSE(sees_shard(c, 2, 0));
  EXPECT_FALSE(sees_shard(c, 0, 1));
}

TEST(Sight, KnowsWhereRowsMayBeEmpty) {
  const auto may = [](const std::string& more) {
    return may_have_empty_rows(parse_case("impl=ring mesh=1x1 d=1 " + more));
  };
  EXPECT_FALSE(may("q=4"));
  EXPECT_FALSE(may("q=4 window=0"));
  EXPECT_FALSE(may("q=4 kv=6 causal=1 align=br"));
  EXPECT_TRUE(may("q=6 kv=4 causal=1 align=br"));
  EXPECT_TRUE(may("q=6 kv=4 window=1"));
  EXPECT_FALSE(may("q=6 kv=4 window=2"));
  EXPECT_TRUE(may("q=4 mask=bool"));
}

}  // namespace
}  // namespace attncheck

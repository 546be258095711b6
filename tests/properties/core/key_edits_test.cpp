#include "properties/key_edits.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/inputs.h"

namespace attncheck {
namespace {

Request edited(const std::string& text, KeyEdit edit) {
  Request request = base_request(parse_case(text));
  request.key = edit;
  return request;
}

TEST(KeyEdits, AnotherOrderHoldsEveryKeyOnceAndIsAnother) {
  for (int seed = 1; seed < 30; ++seed) {
    for (int keys : {2, 3, 8}) {
      const std::string text =
          "impl=x mesh=1x1 q=4 d=1 kv=" + std::to_string(keys) + " seed=" + std::to_string(seed);
      std::vector<int64_t> sources = key_sources(edited(text, KeyEdit::permuted));
      EXPECT_FALSE(std::ranges::is_sorted(sources)) << text;
      std::ranges::sort(sources);
      for (int j = 0; j < keys; ++j) EXPECT_EQ(sources[j], j) << text;
    }
  }
}

TEST(KeyEdits, KeysAndValuesMoveTogetherAcrossShards) {
  const std::string text = "impl=x mesh=3x1 b=2 q=6 h=4 hkv=2 d=3 dv=2 seed=4";
  const Request permuted = edited(text, KeyEdit::permuted);
  const InputTensors plain = global_inputs(edited(text, KeyEdit::none));
  const InputTensors moved = global_inputs(permuted);
  const std::vector<int64_t> sources = key_sources(permuted);
  for (size_t j = 0; j < sources.size(); ++j) {
    EXPECT_TRUE(at::equal(moved.k.select(1, j), plain.k.select(1, sources[j])));
    EXPECT_TRUE(at::equal(moved.v.select(1, j), plain.v.select(1, sources[j])));
  }
  EXPECT_TRUE(at::equal(moved.q, plain.q));
  EXPECT_TRUE(at::equal(rank_inputs(permuted, 1).k, moved.k.narrow(1, 2, 2)));
}

TEST(KeyEdits, DuplicatedKeysFollowOnceMore) {
  const InputTensors once = global_inputs(edited("impl=x mesh=1x1 q=3 d=2 seed=5", KeyEdit::none));
  const InputTensors twice =
      global_inputs(edited("impl=x mesh=1x1 q=3 kv=6 d=2 seed=5", KeyEdit::duplicated));
  EXPECT_TRUE(at::equal(twice.k, at::cat({once.k, once.k}, 1)));
  EXPECT_TRUE(at::equal(twice.v, at::cat({once.v, once.v}, 1)));
}

TEST(KeyEdits, TheShiftIsExactInBfloat16AndOneVectorForEachKvHead) {
  const std::string text = "impl=x mesh=1x1 b=2 q=16 h=4 hkv=2 d=5 dtype=bf16 seed=6";
  const Request shifted = edited(text, KeyEdit::shifted);
  const at::Tensor k = global_inputs(edited(text, KeyEdit::grid)).k.to(at::kDouble);
  const at::Tensor difference = global_inputs(shifted).k.to(at::kDouble) - k;
  EXPECT_GT(k.std().item<double>(), 0.8);
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t d = 0; d < 5; ++d) {
      const at::Tensor of_all_keys = difference.select(3, d).select(2, h);
      EXPECT_TRUE(of_all_keys.eq(key_shift(shifted.case_, h, d)).all().item<bool>());
    }
  EXPECT_NE(key_shift(shifted.case_, 0, 0), key_shift(shifted.case_, 1, 0));
}

TEST(KeyEdits, SomeCellsChangeAndSomeStay) {
  for (int seed = 1; seed < 30; ++seed) {
    const Case c = parse_case("impl=x mesh=1x1 b=2 q=2 h=3 d=1 seed=" + std::to_string(seed));
    int changed = 0;
    for (int b = 0; b < 2; ++b)
      for (int h = 0; h < 3; ++h) changed += changed_cell(c, b, h);
    EXPECT_GE(changed, 1);
    EXPECT_LE(changed, 5);
  }
}

TEST(KeyEdits, ACellTakesItsQueryHeadsAndCotangentsAlong) {
  Request request = edited("impl=x mesh=1x1 b=2 q=2 h=6 hkv=3 d=2 dlse=1 seed=7", KeyEdit::none);
  const InputTensors plain = global_inputs(request);
  request.other_cells = true;
  const InputTensors other = global_inputs(request);
  const auto same = [](const at::Tensor& x, const at::Tensor& y, int64_t b, int64_t h) {
    return x.select(0, b).select(1, h).eq(y.select(0, b).select(1, h)).any().item<bool>();
  };
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 6; ++h) {
      const bool kept = !changed_cell(request.case_, b, h / 2);
      EXPECT_EQ(same(plain.q, other.q, b, h), kept);
      EXPECT_EQ(same(plain.dout, other.dout, b, h), kept);
      EXPECT_EQ(same(plain.dlse, other.dlse, b, h), kept);
      EXPECT_EQ(same(plain.k, other.k, b, h / 2), kept);
      EXPECT_EQ(same(plain.v, other.v, b, h / 2), kept);
    }
}

TEST(KeyEdits, AnExpandedBatchIsOneCell) {
  const Case c = parse_case("impl=x mesh=1x1 b=3 q=2 h=2 d=1 view=expanded seed=8");
  EXPECT_EQ(cell_count(c), 2);
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_EQ(changed_cell(c, b, 0), changed_cell(c, 0, 0));
    EXPECT_NE(changed_cell(c, b, 0), changed_cell(c, b, 1));
  }
}

TEST(KeyEdits, ValuesMixExactlyInBfloat16) {
  Request request = edited("impl=x mesh=1x1 q=4 kv=8 h=2 d=4 dtype=bf16 seed=3", KeyEdit::none);
  const auto v = [&](ValueEdit edit) {
    request.value = edit;
    return global_inputs(request).v.to(at::kDouble);
  };
  const at::Tensor a = v(ValueEdit::grid_a), b = v(ValueEdit::grid_b);
  EXPECT_TRUE(at::equal(v(ValueEdit::grid_mixed), 2 * a + b));
  EXPECT_FALSE(at::equal(a, b));
}

}  // namespace
}  // namespace attncheck

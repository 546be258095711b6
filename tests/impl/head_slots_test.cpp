#include "impl/layouts/head_slots.h"

#include <functional>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>

#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::normal;

struct Heads {
  int64_t heads, kv_heads, degree;
};

void for_all_heads(const std::function<void(const Heads&)>& check) {
  for (int64_t degree = 1; degree <= 5; ++degree) {
    for (int64_t kv_heads = 1; kv_heads <= 6; ++kv_heads) {
      for (int64_t group = 1; group <= 4; ++group) {
        SCOPED_TRACE(std::to_string(kv_heads) + " KV heads, groups of " + std::to_string(group) +
                     ", degree " + std::to_string(degree));
        check({kv_heads * group, kv_heads, degree});
      }
    }
  }
}

// (1, 1, heads, 1): each element is its head's number, from 1.
at::Tensor numbered(int64_t heads) {
  return at::arange(1, heads + 1, at::kDouble).view({1, 1, heads, 1});
}

TEST(HeadSlots, GiveEveryRankTheKeysOfItsQueries) {
  for_all_heads([](const Heads& h) {
    const HeadSlots slots(h.heads, h.kv_heads, h.degree);
    ASSERT_EQ(slots.query_slots() % h.degree, 0);
    ASSERT_EQ(slots.kv_slots() % h.degree, 0);
    const int64_t share = slots.query_slots() / slots.kv_slots();
    const at::Tensor keys = slots.keys(numbered(h.kv_heads)).flatten();
    const at::Tensor queries = slots.queries(numbered(h.heads)).flatten();
    ASSERT_EQ(keys.numel(), slots.kv_slots());
    ASSERT_EQ(queries.numel(), slots.query_slots());
    for (int64_t slot = 0; slot < slots.query_slots(); ++slot) {
      const bool added = slot >= h.heads;
      const int64_t owner = slot / (h.heads / h.kv_heads);
      EXPECT_EQ(queries[slot].item<double>(), added ? 0 : slot + 1);
      EXPECT_EQ(keys[slot / share].item<double>(), added ? 0 : owner + 1);
    }
  });
}

TEST(HeadSlots, AddNothingWhereTheDegreeDividesBoth) {
  for_all_heads([](const Heads& h) {
    const bool divides = h.heads % h.degree == 0 && h.kv_heads % h.degree == 0;
    EXPECT_EQ(HeadSlots(h.heads, h.kv_heads, h.degree).adds_nothing(), divides);
  });
}

TEST(HeadSlots, RepeatAKeyOnlyForTheRanksThatShareIt) {
  EXPECT_EQ(HeadSlots(8, 2, 4).kv_slots(), 4);
  EXPECT_EQ(HeadSlots(8, 1, 2).kv_slots(), 2);
}

TEST(HeadSlots, FromSlotsUndoesQueriesAndIsTheAdjointOfKeys) {
  for_all_heads([](const Heads& h) {
    const HeadSlots slots(h.heads, h.kv_heads, h.degree);
    const at::Tensor q = normal({2, 3, h.heads, 2}, 1);
    EXPECT_TRUE(slots.from_queries(slots.queries(q)).equal(q));
    const at::Tensor k = normal({2, 3, h.kv_heads, 2}, 2);
    const at::Tensor y = normal({2, 3, slots.kv_slots(), 2}, 3);
    const double there = (slots.keys(k) * y).sum().item<double>();
    const double back = (k * slots.from_keys(y)).sum().item<double>();
    EXPECT_NEAR(there, back, 1e-12);
  });
}

TEST(HeadSlots, KeepTheAxesBehindTheHeads) {
  const HeadSlots slots(3, 3, 2);
  EXPECT_EQ(slots.queries(normal({2, 5, 3}, 1)).sizes().vec(), (std::vector<int64_t>{2, 5, 4}));
}

}  // namespace
}  // namespace attncheck

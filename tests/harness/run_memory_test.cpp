#include "harness/run_memory.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

Observation observation_of(int64_t bytes) {
  Observation observation;
  observation.ranks.resize(2);
  observation.ranks[1].tensors["out"] = at::zeros({bytes / 8}, at::kDouble);
  return observation;
}

Expected expected_of(int64_t bytes) {
  Expected expected;
  expected.bounds.dk = at::zeros({bytes / 8}, at::kDouble);
  return expected;
}

TEST(RunMemory, GivesWhatWasKept) {
  RunMemory memory;
  EXPECT_EQ(memory.observation("a"), nullptr);
  const Observation& kept = memory.keep("a", observation_of(80));
  memory.keep("a", expected_of(160));
  EXPECT_EQ(memory.observation("a"), &kept);
  EXPECT_EQ(memory.expected("b"), nullptr);
  EXPECT_EQ(memory.bytes(), 240);
}

TEST(RunMemory, DropsWhatWasAskedForLongestAgo) {
  RunMemory memory;
  memory.keep("first", observation_of(80));
  memory.keep("second", observation_of(80));
  memory.keep("third", expected_of(80));
  EXPECT_NE(memory.observation("first"), nullptr);
  memory.shrink_to(160);
  EXPECT_NE(memory.observation("first"), nullptr);
  EXPECT_EQ(memory.observation("second"), nullptr);
  EXPECT_NE(memory.expected("third"), nullptr);
  EXPECT_EQ(memory.bytes(), 160);
}

TEST(RunMemory, KeepsOneEntryHoweverLarge) {
  RunMemory memory;
  memory.keep("large", observation_of(800));
  memory.shrink_to(8);
  EXPECT_NE(memory.observation("large"), nullptr);
  memory.clear();
  EXPECT_EQ(memory.observation("large"), nullptr);
  EXPECT_EQ(memory.bytes(), 0);
}

}  // namespace
}  // namespace attncheck

#include "properties/rank_result.h"

#include <limits>

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

RankResult some_result() {
  RankResult result;
  result.rank = 3;
  result.tensors["out"] = at::rand({2, 3, 1, 4}, at::kDouble);
  result.tensors["lse"] = at::full({2, 3, 1}, -std::numeric_limits<double>::infinity(), at::kFloat);
  result.tensors["dq"] = at::rand({2, 3}, at::kFloat).to(at::kBFloat16);
  result.tensors["dk"] = at::rand({0, 3}, at::kFloat);
  result.facts["lse_requires_grad"] = "1";
  result.error = RankError{Phase::backward, "expected 12, got 11"};
  return result;
}

TEST(RankResult, BytesReadBackTheSame) {
  const RankResult before = some_result(), after = rank_result_from_bytes(to_bytes(before));
  EXPECT_EQ(after.rank, 3);
  ASSERT_EQ(after.tensors.size(), before.tensors.size());
  for (const auto& [name, tensor] : before.tensors) {
    EXPECT_EQ(after.tensors.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(after.tensors.at(name), tensor)) << name;
  }
  EXPECT_EQ(after.facts, before.facts);
  ASSERT_TRUE(after.error);
  EXPECT_EQ(after.error->phase, Phase::backward);
  EXPECT_EQ(after.error->text, "expected 12, got 11");
}

TEST(RankResult, PermutedTensorsKeepTheirOrder) {
  RankResult result;
  result.tensors["out"] = at::rand({2, 3, 4}, at::kDouble).transpose(0, 2);
  EXPECT_TRUE(at::equal(rank_result_from_bytes(to_bytes(result)).tensors.at("out"),
                        result.tensors.at("out")));
}

TEST(RankResult, EveryCutIsRefused) {
  const std::string bytes = to_bytes(some_result());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(rank_result_from_bytes(bytes.substr(0, length)), c10::Error) << length;
  }
  EXPECT_THROW(rank_result_from_bytes(bytes + "x"), c10::Error);
}

}  // namespace
}  // namespace attncheck

#include <algorithm>
#include <csignal>
#include <limits>
#include <string>
#include <tuple>

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "impl/backends/flash_cpu.h"
#include "tests/impl/problems_testing.h"

// The operator itself, with nothing of the backend around it: what the contract says of its habits.

namespace attncheck {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Raw {
  at::Tensor out, lse;
};

// q, k and v are (B, H, S, D).
Raw call(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool is_causal = false,
         const std::optional<at::Tensor>& mask = {}, std::optional<double> scale = {}) {
  const auto result =
      at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, is_causal, mask, scale);
  return {std::get<0>(result), std::get<1>(result)};
}

at::Tensor dq_of(const Raw& forward, const at::Tensor& lse, const at::Tensor& x,
                 const std::optional<at::Tensor>& mask = {}) {
  return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu_backward(
      at::ones(forward.out.sizes(), x.options()), x, x, x, forward.out, lse, 0.0, false, mask));
}

at::Tensor some(int64_t length, uint64_t seed = 1) {
  return testing::normal({1, 2, length, 4}, seed);
}

// The first query sees no key.
at::Tensor first_row_hidden(int64_t length) {
  at::Tensor mask = at::zeros({1, 1, length, length}, at::kDouble);
  mask.select(2, 0).fill_(-kInf);
  return mask;
}

bool has_quirk(const std::string& name) {
  const auto quirks = flash_cpu_backend().contract.quirks;
  return std::any_of(quirks.begin(), quirks.end(),
                     [&](const Quirk& quirk) { return quirk.name == name; });
}

TEST(FlashCpuQuirk, EmptyRowsHaveTheLse0) {
  EXPECT_TRUE(has_quirk("empty rows"));
  EXPECT_EQ(flash_cpu_backend().contract.empty_row_lse, EmptyRowLse::zero);
  const at::Tensor x = some(3);
  const at::Tensor lse = call(x, x, x, false, first_row_hidden(3)).lse;
  EXPECT_TRUE(lse.select(2, 0).eq(0).all().item<bool>());
  EXPECT_TRUE(lse.select(2, 1).ne(0).all().item<bool>());
  const at::Tensor zero = at::zeros({1, 2, 1, 4}, at::kDouble);
  EXPECT_TRUE(call(zero, zero, zero).lse.eq(0).all().item<bool>());
}

TEST(FlashCpuQuirk, BackwardWantsPlusInfinityForEmptyRows) {
  EXPECT_TRUE(has_quirk("LSE of -inf in backward"));
  const at::Tensor x = some(3), mask = first_row_hidden(3);
  const Raw forward = call(x, x, x, false, mask);
  at::Tensor lse = forward.lse.clone();
  lse.select(2, 0).fill_(-kInf);
  EXPECT_TRUE(dq_of(forward, lse, x, mask).isnan().any().item<bool>());
  lse.select(2, 0).fill_(kInf);
  EXPECT_TRUE(dq_of(forward, lse, x, mask).isfinite().all().item<bool>());
}

TEST(FlashCpuQuirk, BackwardTakesAnLseOfFourAxes) {
  EXPECT_TRUE(has_quirk("LSE of any rank in backward"));
  const at::Tensor x = some(5);
  const Raw forward = call(x, x, x);
  EXPECT_TRUE(dq_of(forward, forward.lse.unsqueeze(-1), x).equal(dq_of(forward, forward.lse, x)));
}

TEST(FlashCpuQuirkDeathTest, NoKeysEndTheProcess) {
  EXPECT_TRUE(has_quirk("kv_len 0"));
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      call(some(2), at::empty({1, 2, 0, 4}, at::kDouble), at::empty({1, 2, 0, 4}, at::kDouble)),
      ::testing::KilledBySignal(SIGFPE), "");
}

TEST(FlashCpuQuirk, TheLastStrideIsTakenFor1) {
  EXPECT_TRUE(has_quirk("last stride"));
  const at::Tensor wide = testing::normal({1, 2, 4, 8}, 3);
  const at::Tensor every_other = wide.slice(3, 0, 8, 2);
  const at::Tensor right =
      call(every_other.contiguous(), every_other.contiguous(), every_other.contiguous()).out;
  const at::Tensor got = call(every_other, every_other, every_other).out;
  EXPECT_GT(testing::difference(got, right), 1e-3);
}

TEST(FlashCpuQuirk, OutLiesInMemoryAsQDoes) {
  EXPECT_TRUE(has_quirk("memory of out"));
  const at::Tensor by_head = some(3),
                   by_token = some(3).transpose(1, 2).contiguous().transpose(1, 2);
  for (const at::Tensor& q : {by_head, by_token}) {
    const Raw raw = call(q, by_head, by_head);
    EXPECT_EQ(raw.out.strides(), q.strides());
    EXPECT_EQ(raw.lse.strides(), (at::IntArrayRef{6, 1, 2}));
  }
}

TEST(FlashCpuQuirk, IsCausalIsAlignedTopLeft) {
  EXPECT_TRUE(has_quirk("is_causal"));
  EXPECT_EQ(flash_cpu_backend().contract.takes.causal, KernelCausal::top_left);
  const at::Tensor q = some(2, 4), kv = some(5, 5);
  const at::Tensor mask = at::full({2, 5}, -kInf, at::kDouble).triu(1);
  EXPECT_LE(testing::difference(call(q, kv, kv, true).out, call(q, kv, kv, false, mask).out),
            1e-12);
}

TEST(FlashCpuQuirk, IsCausalWithScale0IsNoNumber) {
  EXPECT_TRUE(has_quirk("is_causal with scale 0"));
  const at::Tensor x = some(3);
  EXPECT_TRUE(call(x, x, x, true, {}, 0.0).out.isnan().any().item<bool>());
}

// Whoever adds one writes its test, and counts it here.
TEST(FlashCpuQuirk, EachHasATest) {
  EXPECT_EQ(flash_cpu_backend().contract.quirks.size(), 8u);
}

}  // namespace
}  // namespace attncheck

#include "impl/backends/padded_head_dim.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::expected;
using testing::Whole;
using testing::whole;

constexpr double kTolerance = 1e-12;

void expect_padded(const Backend& inner, const Whole& w) {
  const Backend backend = padded_head_dim(inner, 8);
  const Expected want = expected(w);
  const BlockAttention got = attend(backend, w.inputs);
  EXPECT_LE(difference(got.out, want.out), kTolerance);
  EXPECT_LE(difference(got.lse, want.lse), kTolerance);
  const BackendGrads grads =
      attend_backward(backend, {w.inputs, w.grad_out, w.grad_lse, got.out, got.lse, got.aux});
  EXPECT_LE(difference(grads.dq, want.dq), kTolerance);
  EXPECT_LE(difference(grads.dk, want.dk), kTolerance);
  EXPECT_LE(difference(grads.dv, want.dv), kTolerance);
}

TEST(PaddedHeadDim, GivesDenseAttentionAndItsGradients) {
  for (int64_t d : {1, 7, 8, 9}) {
    SCOPED_TRACE(d);
    expect_padded(math_backend(), whole({.head_dim = d, .v_head_dim = d}, 0));
    expect_padded(flash_cpu_backend(), whole({.head_dim = d, .v_head_dim = d}));
  }
}

TEST(PaddedHeadDim, MakesTwoHeadDimsOneForAKernelThatTakesOne) {
  expect_padded(flash_cpu_backend(), whole({.head_dim = 5, .v_head_dim = 7}));
}

// A kernel that sees sizes it does not take would throw.
TEST(PaddedHeadDim, ShowsTheKernelMultiplesAlone) {
  Backend strict = math_backend();
  std::vector<int64_t> seen;
  strict.forward = [&, math = strict.forward](const BackendInputs& block) {
    seen = {block.q.size(3), block.k.size(3), block.v.size(3)};
    return math(block);
  };
  const Whole w = whole({.head_dim = 3, .v_head_dim = 9});
  EXPECT_EQ(attend(padded_head_dim(strict, 8), w.inputs).out.size(3), 9);
  EXPECT_EQ(seen, (std::vector<int64_t>{8, 8, 16}));
}

TEST(PaddedHeadDim, SupportsWhatTheKernelDoesOfPaddedSizesAtTheirOwnScale) {
  Backend inner = math_backend();
  Problem asked;
  inner.supports = [&](const Problem& problem) {
    asked = problem;
    return Support::yes();
  };
  Problem problem;
  problem.head_dim = problem.v_head_dim = 4;
  EXPECT_TRUE(padded_head_dim(inner, 8).supports(problem).ok);
  EXPECT_EQ(asked.head_dim, 8);
  EXPECT_EQ(effective_scale(asked), 0.5);
}

}  // namespace
}  // namespace attncheck

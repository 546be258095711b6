#include "impl/backends/dispatcher.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/backends/native.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::expected;
using testing::whole;

// A backend that marks what it computed: out is off by `mark`.
Backend marked(const std::string& name, int64_t up_to_q_len, double mark) {
  Backend backend = math_backend();
  backend.name = name;
  backend.supports = [=](const Problem& p) {
    return p.q_len <= up_to_q_len ? Support::yes()
                                  : Support::no("takes q_len up to " + std::to_string(up_to_q_len));
  };
  backend.forward = [forward = backend.forward, mark](const BackendInputs& block) {
    BackendForward result = forward(block);
    result.out = result.out + mark;
    return result;
  };
  return backend;
}

Problem of_length(int64_t q_len) {
  Problem problem;
  problem.q_len = problem.kv_len = q_len;
  return problem;
}

TEST(Dispatcher, ChoosesTheFirstThatSupportsTheProblem) {
  const Dispatcher dispatcher("mine", {marked("small", 4, 1), marked("large", 8, 2)});
  EXPECT_EQ(dispatcher.chosen(of_length(4))->name, "small");
  EXPECT_EQ(dispatcher.chosen(of_length(5))->name, "large");
  EXPECT_EQ(dispatcher.chosen(of_length(9)), nullptr);
}

TEST(Dispatcher, ComputesWithWhatItChose) {
  const Backend mine = Dispatcher("mine", {marked("small", 4, 1), marked("large", 8, 2)}).backend();
  for (int64_t q_len : {4, 5}) {
    const auto w = whole({.q_len = q_len});
    const at::Tensor out = attend(mine, w.inputs).out - expected(w).out;
    EXPECT_NEAR(out.mean().item<double>(), q_len == 4 ? 1 : 2, 1e-12);
  }
  EXPECT_THROW(attend(mine, whole({.q_len = 9}).inputs), c10::Error);
}

TEST(Dispatcher, SaysWhyEachOfThemDoesNot) {
  const Dispatcher dispatcher("mine", {marked("small", 4, 1), marked("large", 8, 2)});
  EXPECT_TRUE(dispatcher.supports(of_length(8)).ok);
  EXPECT_EQ(dispatcher.supports(of_length(9)).reason,
            "mine has no backend for this; small: takes q_len up to 4; large: takes q_len up to 8");
}

TEST(Dispatcher, CanBeHeldToOne) {
  const Dispatcher dispatcher("mine", {marked("small", 4, 1), marked("large", 8, 2)});
  EXPECT_EQ(dispatcher.only("large").chosen(of_length(4))->name, "large");
  EXPECT_EQ(dispatcher.only("small").chosen(of_length(5)), nullptr);
  EXPECT_THROW(dispatcher.only("medium"), c10::Error);
}

TEST(Dispatcher, RefusesAnEmptyListAndANameTwice) {
  EXPECT_THROW(Dispatcher("mine", {}), c10::Error);
  EXPECT_THROW(Dispatcher("mine", {math_backend(), math_backend()}), c10::Error);
}

TEST(Dispatcher, ReturnsALogSumExpIfAllDo) {
  EXPECT_TRUE(auto_dispatcher().backend().contract.lse);
  const Dispatcher some("some", {math_backend(), native_backend()});
  EXPECT_FALSE(some.backend().contract.lse);
}

TEST(AutoDispatcher, TakesFlashWhereItCanAndMathElse) {
  Problem problem = of_length(4);
  problem.head_dim = problem.v_head_dim = 8;
  EXPECT_EQ(auto_dispatcher().chosen(problem)->name, "flash_cpu");
  problem.v_head_dim = 3;
  EXPECT_EQ(auto_dispatcher().chosen(problem)->name, "math");
}

TEST(AutoDispatcher, ComputesWhatOneOfItsBackendsRefuses) {
  const Backend backend = auto_dispatcher().backend();
  const auto w = whole({.v_head_dim = 5}, 0);
  const auto want = expected(w);
  const BlockAttention got = attend(backend, w.inputs);
  EXPECT_LE(difference(got.out, want.out), 1e-13);
  const BackendGrads grads =
      attend_backward(backend, {w.inputs, w.grad_out, w.grad_lse, got.out, got.lse, got.aux});
  EXPECT_LE(difference(grads.dq, want.dq), 1e-12);
  EXPECT_LE(difference(grads.dk, want.dk), 1e-12);
  EXPECT_LE(difference(grads.dv, want.dv), 1e-12);
}

}  // namespace
}  // namespace attncheck

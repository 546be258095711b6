#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/mutant_testing.h"

// Backends that are wrong alone: what is wrong of each, and where nothing is.

namespace attncheck {
namespace {

using testing::difference;
using testing::expected;
using testing::Whole;
using testing::whole;

constexpr double kTolerance = 1e-12;

Backend kernel(const std::string& name) {
  return std::get<Backend>(testing::mutant("house_kernel_" + name).subject);
}

// Which of out, lse, dq, dk and dv are wrong when all keys are one block.
std::string wrong_on_the_whole(const Backend& backend, const Whole& w) {
  const auto want = expected(w);
  const BlockAttention got = attend(backend, w.inputs);
  const BackendGrads grads =
      attend_backward(backend, {w.inputs, w.grad_out, w.grad_lse, got.out, got.lse, got.aux});
  std::string wrong;
  const auto look = [&](const char* name, const at::Tensor& x, const at::Tensor& right) {
    const bool same = x.sizes() == right.sizes() && difference(x, right) <= kTolerance;
    if (!same) wrong += (wrong.empty() ? "" : " ") + std::string(name);
  };
  look("out", got.out, want.out);
  look("lse", got.lse, want.lse);
  look("dq", grads.dq, want.dq);
  look("dk", grads.dk, want.dk);
  look("dv", grads.dv, want.dv);
  return wrong;
}

TEST(FaultyKernels, ThatReturnSomethingElseComputeWhatIsRight) {
  for (const char* name : {"returns_one_value_fewer", "lse_by_head_in_memory", "out_by_token",
                           "lse_is_undefined", "pads_lse_with_zeros"}) {
    EXPECT_EQ(wrong_on_the_whole(kernel(name), whole({})), "") << name;
  }
}

TEST(FaultyKernels, ThatLookAtTheBlockAloneAreRightOnTheWhole) {
  for (const char* name : {"lse_of_the_block", "delta_of_the_block"}) {
    EXPECT_EQ(wrong_on_the_whole(kernel(name), whole({}, 0)), "") << name;
  }
}

TEST(FaultyKernels, ThatLookAtTheBlockAloneAreWrongOnAPart) {
  const Whole w = whole({});
  const auto want = expected(w);
  BackendBackward call{w.inputs, w.grad_out, {}, want.out, want.lse, {}};
  call.block.k = w.inputs.k.narrow(1, 0, 2);
  call.block.v = w.inputs.v.narrow(1, 0, 2);
  const at::Tensor dv_of_lse = kernel("lse_of_the_block").backward(call).dv;
  EXPECT_GT(difference(dv_of_lse, want.dv.narrow(1, 0, 2)), 1e-3);
  const BackendGrads of_delta = kernel("delta_of_the_block").backward(call);
  const BackendGrads right = testing::built_in_backend("math").backward(call);
  EXPECT_LE(difference(of_delta.dv, right.dv), kTolerance);
  EXPECT_GT(difference(of_delta.dk, right.dk), 1e-3);
}

TEST(FaultyKernels, ThatPadAreRightWhereNothingIsPadded) {
  for (const char* name :
       {"scale_of_the_padded_size", "gradients_stay_padded", "trailing_gradients"}) {
    EXPECT_EQ(wrong_on_the_whole(kernel(name), whole({.head_dim = 8, .v_head_dim = 8})), "")
        << name;
  }
}

TEST(FaultyKernels, ThatPadAreWrongInTheirWay) {
  Whole w = whole({});
  w.grad_lse = at::Tensor();
  EXPECT_EQ(wrong_on_the_whole(kernel("scale_of_the_padded_size"), w), "out lse dq dk dv");
  EXPECT_EQ(wrong_on_the_whole(kernel("gradients_stay_padded"), w), "dq dk dv");
  EXPECT_EQ(wrong_on_the_whole(kernel("trailing_gradients"), w), "dq dk dv");
}

}  // namespace
}  // namespace attncheck

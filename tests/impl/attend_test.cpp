#include "impl/backends/attend.h"

#include <cmath>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/backends/normalise_lse.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::expected;
using testing::Whole;
using testing::whole;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-13;

class EveryBackend : public ::testing::TestWithParam<std::string> {
 protected:
  Backend backend() const { return testing::built_in_backend(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Backends, EveryBackend, ::testing::Values("math", "flash_cpu", "auto"),
                         [](const auto& info) { return info.param; });

void expect_forward(const Backend& backend, const Whole& w, double tolerance = kTolerance) {
  const BlockAttention got = attend(backend, w.inputs);
  const Expected want = expected(w);
  EXPECT_EQ(got.out.scalar_type(), w.inputs.q.scalar_type());
  EXPECT_LE(difference(got.out, want.out), tolerance);
  EXPECT_LE(difference(got.lse, want.lse), tolerance);
}

TEST_P(EveryBackend, GivesDenseAttention) {
  expect_forward(backend(), whole({}));
  expect_forward(backend(), whole({.batch = 1,
                                   .q_len = 1,
                                   .kv_len = 1,
                                   .heads = 1,
                                   .kv_heads = 1,
                                   .head_dim = 1,
                                   .v_head_dim = 1}));
  expect_forward(backend(), whole({.q_len = 5, .kv_len = 11, .head_dim = 7, .v_head_dim = 7}));
}

TEST_P(EveryBackend, GivesDenseAttentionAtLengthsPastAKernelBlock) {
  expect_forward(backend(),
                 whole({.batch = 1, .q_len = 70, .kv_len = 600, .heads = 2, .kv_heads = 2}, 530));
}

TEST_P(EveryBackend, SharesGroupedHeads) {
  expect_forward(backend(), whole({.heads = 6, .kv_heads = 2}));
  expect_forward(backend(), whole({.heads = 3, .kv_heads = 1}, 0));
}

TEST_P(EveryBackend, HidesKeysPastAnyDiagonal) {
  for (int64_t diagonal = -8; diagonal <= 8; ++diagonal) {
    SCOPED_TRACE(diagonal);
    expect_forward(backend(), whole({.q_len = 5, .kv_len = 7}, diagonal));
    expect_forward(backend(), whole({.q_len = 7, .kv_len = 5}, diagonal));
  }
}

TEST_P(EveryBackend, TakesBooleanAndAdditiveMasks) {
  Whole w = whole({.q_len = 5, .kv_len = 7});
  w.inputs.mask = testing::normal({2, 1, 5, 7}, 9) > -0.5;
  w.inputs.mask.select(2, 3).fill_(false);
  expect_forward(backend(), w);
  w.inputs.diagonal = -1;
  expect_forward(backend(), w);
  w.inputs.mask = testing::normal({2, 4, 5, 7}, 9);
  w.inputs.mask.select(2, 3).fill_(-kInfinity);
  expect_forward(backend(), w);
  w.inputs.mask = testing::normal({5, 7}, 9);
  expect_forward(backend(), w);
}

TEST_P(EveryBackend, IsRightOnAnyStrides) {
  Whole w = whole({});
  w.inputs.q = w.inputs.q.transpose(2, 3).contiguous().transpose(2, 3);
  w.inputs.k = w.inputs.k.narrow(0, 0, 1).expand({2, -1, -1, -1});
  w.inputs.v = w.inputs.v.transpose(0, 1).contiguous().transpose(0, 1);
  expect_forward(backend(), w);
  w.inputs.k = w.inputs.k.narrow(1, 0, 1).expand({-1, 6, -1, -1});
  expect_forward(backend(), w);
}

TEST_P(EveryBackend, ComputesNarrowDtypesInFloat32) {
  expect_forward(backend(), whole({}, 1, at::kFloat), 2e-6);
  for (const auto type : {at::kBFloat16, at::kHalf}) {
    const Whole w = whole({}, 1, type);
    const BlockAttention got = attend(backend(), w.inputs);
    const double u = type == at::kHalf ? 0x1p-11 : 0x1p-8;
    EXPECT_EQ(got.out.scalar_type(), type);
    EXPECT_EQ(got.lse.scalar_type(), at::kFloat);
    EXPECT_LE(difference(got.lse, expected(w).lse), 1e-5);
    EXPECT_LE(difference(got.out, expected(w).out), 6 * u);  // |out| up to 3, P and out rounded
  }
}

TEST_P(EveryBackend, NeverSeesABlockInWhichNothingIsVisible) {
  Backend guarded = backend();
  guarded.forward = [](const BackendInputs&) -> BackendForward {
    throw std::logic_error("called");
  };
  guarded.backward = [](const BackendBackward&) -> BackendGrads {
    throw std::logic_error("called");
  };
  Whole w = whole({.q_len = 4, .kv_len = 7}, -4);
  const BlockAttention got = attend(guarded, w.inputs);
  EXPECT_EQ(got.out.abs().max().item<double>(), 0.0);
  EXPECT_EQ(got.lse.max().item<double>(), -kInfinity);
  const auto grads =
      attend_backward(guarded, {w.inputs, w.grad_out, w.grad_lse, got.out, got.lse, {}});
  EXPECT_EQ(grads.dv.abs().max().item<double>(), 0.0);
  w.inputs.diagonal.reset();
  w.inputs.mask = at::full({4, 7}, false);
  EXPECT_NO_THROW(attend(guarded, w.inputs));
}

TEST(FlashCpu, RefusesAnOwnHeadDimOfV) {
  Problem problem;
  problem.head_dim = 4;
  EXPECT_FALSE(flash_cpu_backend().supports(problem).ok);
  EXPECT_THROW(attend(flash_cpu_backend(), whole({.v_head_dim = 5}).inputs), c10::Error);
}

TEST(Math, TakesAnOwnHeadDimOfV) {
  expect_forward(math_backend(), whole({.v_head_dim = 5}, 0));
}

// A kernel whose LSE is `lse` (B, Sq, H), returned as the contract says.
Backend fake(const at::Tensor& lse, const BackendContract& contract) {
  Backend backend;
  backend.name = "fake";
  backend.contract = contract;
  backend.forward = [=](const BackendInputs& in) {
    at::Tensor raw = lse / std::log(contract.lse_base);
    if (contract.lse_shape != LseShape::BSH) raw = raw.transpose(1, 2);
    if (contract.lse_shape == LseShape::BHS1) raw = raw.unsqueeze(-1);
    return BackendForward{in.v.narrow(1, 0, in.q.size(1)), raw, {}, {}};
  };
  return backend;
}

double empty_value(EmptyRowLse empty) {
  if (empty == EmptyRowLse::zero) return 0.0;
  return empty == EmptyRowLse::plus_infinity ? kInfinity : -kInfinity;
}

TEST(NormaliseLse, UndoesShapeBaseAndEmptyRowValue) {
  const Whole w = whole({.q_len = 5}, -2);  // two empty rows
  const at::Tensor lse = testing::normal({2, 5, 4}, 8);
  for (auto shape : {LseShape::BHS, LseShape::BHS1, LseShape::BSH}) {
    for (auto empty :
         {EmptyRowLse::zero, EmptyRowLse::plus_infinity, EmptyRowLse::minus_infinity}) {
      for (double base : {2.718281828459045, 2.0, 10.0}) {
        at::Tensor raw = lse.clone(), want = lse.clone();
        raw.narrow(1, 0, 2).fill_(empty_value(empty));
        want.narrow(1, 0, 2).fill_(-kInfinity);
        BackendContract contract;
        contract.lse_shape = shape;
        contract.empty_row_lse = empty;
        contract.lse_base = base;
        const BlockAttention got = attend(fake(raw, contract), w.inputs);
        EXPECT_LE(difference(got.lse, want), 1e-15);
        EXPECT_EQ(got.out.narrow(1, 0, 2).abs().max().item<double>(), 0.0);
      }
    }
  }
}

TEST(NormaliseLse, KeepsAVisibleRowWhoseLseIsZero) {
  BackendContract contract;
  contract.empty_row_lse = EmptyRowLse::zero;
  const Whole w = whole({.q_len = 3}, 0);
  const at::Tensor zero = at::full({2, 3, 4}, 0.0, at::kDouble);
  EXPECT_EQ(difference(attend(fake(zero, contract), w.inputs).lse, zero), 0.0);
}

TEST(NormaliseLse, ThrowsForAShapeThatIsNotTheDeclaredOne) {
  const Whole w = whole({.q_len = 4, .heads = 4});
  BackendContract contract;
  contract.lse_shape = LseShape::BHS;
  EXPECT_THROW(normalise_lse(contract, at::full({2, 4, 4, 1}, 0.0), w.inputs), c10::Error);
  contract.lse_shape = LseShape::BHS1;
  EXPECT_THROW(normalise_lse(contract, at::full({2, 4, 4}, 0.0), w.inputs), c10::Error);
  EXPECT_THROW(normalise_lse(contract, at::Tensor(), w.inputs), c10::Error);
}

}  // namespace
}  // namespace attncheck

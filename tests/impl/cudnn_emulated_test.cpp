#include "impl/backends/cudnn_emulated.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/backends/cudnn_emulated_kernel.h"
#include "impl/contract/raw_form.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::expected;
using testing::Sizes;
using testing::Whole;
using testing::whole;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CudnnEmulated : public ::testing::TestWithParam<at::ScalarType> {
 protected:
  Backend backend() const { return cudnn_emulated_backend("2.9"); }
  Whole drawn(Sizes sizes, std::optional<int64_t> diagonal = {}) const {
    sizes.head_dim = sizes.head_dim < 8 ? 8 : sizes.head_dim;
    sizes.v_head_dim = sizes.v_head_dim < 8 ? 8 : sizes.v_head_dim;
    return whole(sizes, diagonal, GetParam());
  }
  // Some roundings of numbers of the size of ten.
  double tolerance() const { return GetParam() == at::kHalf ? 0.02 : 0.15; }
};

INSTANTIATE_TEST_SUITE_P(DTypes, CudnnEmulated, ::testing::Values(at::kBFloat16, at::kHalf),
                         [](const auto& info) { return c10::toString(info.param); });

void expect_dense(const Backend& backend, const Whole& w, double tolerance) {
  const Expected want = expected(w);
  const BlockAttention got = attend(backend, w.inputs);
  EXPECT_EQ(got.out.scalar_type(), w.inputs.q.scalar_type());
  EXPECT_EQ(got.lse.scalar_type(), at::kFloat);
  EXPECT_LE(difference(got.out, want.out), tolerance);
  EXPECT_LE(difference(got.lse, want.lse), 1e-4);
  const BackendGrads grads =
      attend_backward(backend, {w.inputs, w.grad_out, w.grad_lse, got.out, got.lse, got.aux});
  EXPECT_EQ(grads.dk.scalar_type(), w.inputs.k.scalar_type());
  EXPECT_LE(difference(grads.dq, want.dq), tolerance);
  EXPECT_LE(difference(grads.dk, want.dk), tolerance);
  EXPECT_LE(difference(grads.dv, want.dv), tolerance);
}

TEST_P(CudnnEmulated, GivesDenseAttentionAndItsGradient) {
  expect_dense(backend(), drawn({}), tolerance());
  expect_dense(backend(), drawn({.q_len = 5, .kv_len = 11, .head_dim = 16}), tolerance());
  expect_dense(backend(), drawn({.heads = 6, .kv_heads = 2, .v_head_dim = 24}, 0), tolerance());
}

TEST_P(CudnnEmulated, HidesKeysPastAnyDiagonal) {
  for (int64_t diagonal = -6; diagonal <= 6; ++diagonal) {
    SCOPED_TRACE(diagonal);
    expect_dense(backend(), drawn({.q_len = 5, .kv_len = 4}, diagonal), tolerance());
  }
}

TEST_P(CudnnEmulated, TakesBooleanAndAdditiveMasksWithEmptyRows) {
  Whole w = drawn({.q_len = 5, .kv_len = 7});
  w.inputs.mask = testing::normal({2, 1, 5, 7}, 9) > -0.5;
  w.inputs.mask.select(2, 3).fill_(false);
  expect_dense(backend(), w, tolerance());
  w.inputs.mask = testing::normal({2, 4, 5, 7}, 9, GetParam());
  w.inputs.mask.select(2, 3).fill_(-kInfinity);
  expect_dense(backend(), w, tolerance());
}

TEST_P(CudnnEmulated, TakesAGradientOfTheLseAtTheGreatestHeadDim) {
  Whole w = drawn({.batch = 1, .heads = 2, .kv_heads = 2, .head_dim = 256, .v_head_dim = 256});
  w.inputs.scale = 1.0 / 16;
  expect_dense(backend(), w, tolerance());
}

TEST_P(CudnnEmulated, TakesABlockOfOnePairThatARingMayCut) {
  const Sizes pair{.q_len = 1, .kv_len = 1};
  expect_dense(backend(), drawn(pair), tolerance());
  expect_dense(backend(), drawn(pair, 0), tolerance());
  Whole masked = drawn(pair);
  masked.inputs.mask = testing::normal({2, 1, 1, 1}, 9, GetParam());
  expect_dense(backend(), masked, tolerance());
}

TEST_P(CudnnEmulated, IsRightOnAnyStrides) {
  Whole w = drawn({});
  w.inputs.q = w.inputs.q.transpose(2, 3).contiguous().transpose(2, 3);
  w.inputs.k = w.inputs.k.narrow(0, 0, 1).expand({2, -1, -1, -1});
  w.grad_out = w.grad_out.narrow(3, 0, 1).expand({-1, -1, -1, 8});
  expect_dense(backend(), w, tolerance());
}

TEST(CudnnEmulatedForms, ReturnTheLseOfTheirRelease) {
  const Whole w = whole({.head_dim = 8, .v_head_dim = 8}, {}, at::kBFloat16);
  for (const std::string& release : cudnn_emulated_releases()) {
    const Backend backend = cudnn_emulated_backend(release);
    const bool before = release.size() == 3 && release < "2.9";
    const at::Tensor lse = backend.forward(w.inputs).lse;
    EXPECT_EQ(lse.dim(), before ? 3 : 4) << release;
    EXPECT_EQ(lse.sizes(), at::IntArrayRef(raw_lse_sizes(backend.contract, 2, 6, 4))) << release;
    EXPECT_EQ(lse.scalar_type(), raw_lse_type(backend.contract, at::kBFloat16)) << release;
  }
  EXPECT_THROW(cudnn_emulated_backend("2.4"), c10::Error);
  EXPECT_THROW(cudnn_emulated_backend("2.16"), c10::Error);
  EXPECT_THROW(cudnn_emulated_backend(""), c10::Error);
}

TEST(CudnnEmulatedForms, RefuseWithAReasonWhatCudnnDoes) {
  const Backend backend = cudnn_emulated_backend("2.8");
  Problem right;
  right.q_len = 2;
  right.kv_len = 1;
  right.head_dim = right.v_head_dim = 256;
  right.dtype = DType::f16;
  EXPECT_TRUE(backend.supports(right).ok);
  const auto refused = [&](auto change, const char* says) {
    Problem wrong = right;
    change(wrong);
    const Support support = backend.supports(wrong);
    EXPECT_FALSE(support.ok);
    EXPECT_NE(support.reason.find(says), std::string::npos) << support.reason;
  };
  refused([](Problem& p) { p.dtype = DType::f32; }, "bfloat16 and float16 alone");
  refused([](Problem& p) { p.head_dim = 12; }, "multiple of 8: that of q and k is 12");
  refused([](Problem& p) { p.v_head_dim = 4; }, "multiple of 8: that of v is 4");
  refused([](Problem& p) { p.head_dim = 264; }, "at most 256");
  refused([](Problem& p) { p.q_len = 1; }, "one query with one key");
}

cudnn::Arguments arguments(int64_t q_len, int64_t kv_len, int64_t head_dim, at::ScalarType type) {
  cudnn::Arguments a;
  a.q = testing::normal({1, 2, q_len, head_dim}, 1, type);
  a.k = testing::normal({1, 2, kv_len, head_dim}, 2, type);
  a.v = testing::normal({1, 2, kv_len, head_dim}, 3, type);
  return a;
}

TEST(CudnnEmulatedKernel, RefusesWhatCudnnDoes) {
  EXPECT_THROW(cudnn::forward(arguments(2, 2, 8, at::kFloat), LseShape::BHS), c10::Error);
  EXPECT_THROW(cudnn::forward(arguments(2, 2, 9, at::kHalf), LseShape::BHS), c10::Error);
  EXPECT_THROW(cudnn::forward(arguments(2, 2, 264, at::kHalf), LseShape::BHS), c10::Error);
  cudnn::Arguments wide_bias = arguments(2, 2, 8, at::kHalf);
  wide_bias.attn_bias = testing::normal({2, 2}, 4, at::kFloat);
  EXPECT_THROW(cudnn::forward(wide_bias, LseShape::BHS), c10::Error);
  const cudnn::Arguments pair = arguments(1, 1, 8, at::kHalf);
  const cudnn::Output output = cudnn::forward(pair, LseShape::BHS);
  EXPECT_THROW(cudnn::backward(output.out, pair, output.out, output.log_sumexp, LseShape::BHS),
               c10::Error);
}

TEST(CudnnEmulatedKernel, WantsTheLseInTheShapeThatItReturns) {
  const cudnn::Arguments a = arguments(3, 2, 8, at::kHalf);
  for (const LseShape shape : {LseShape::BHS, LseShape::BHS1}) {
    const LseShape other = shape == LseShape::BHS ? LseShape::BHS1 : LseShape::BHS;
    const cudnn::Output output = cudnn::forward(a, shape);
    EXPECT_NO_THROW(cudnn::backward(output.out, a, output.out, output.log_sumexp, shape));
    EXPECT_THROW(cudnn::backward(output.out, a, output.out, output.log_sumexp, other), c10::Error);
  }
}

// The widest gap to the dense result is that of P's rounding, not that of a float32 product.
TEST(CudnnEmulatedKernel, RoundsProbabilitiesToTheDtypeOfTheOperands) {
  cudnn::Arguments a = arguments(1, 2, 8, at::kHalf);
  a.k.zero_();
  a.v.fill_(1.0);
  a.attn_bias = at::zeros_like(a.k.select(3, 0)).unsqueeze(2);
  a.attn_bias.select(3, 1).fill_(-0.3);
  const double p = std::exp(static_cast<double>(at::Half(-0.3f)));
  const double rounded = static_cast<float>(at::Half(static_cast<float>(p)));
  const double want = static_cast<float>(at::Half(static_cast<float>((1 + rounded) / (1 + p))));
  EXPECT_NE(rounded, p);
  EXPECT_EQ(cudnn::forward(a, LseShape::BHS).out.select(2, 0).max().item<double>(), want);
}

TEST(CudnnEmulatedKernel, GivesMinusInfinityAndNaNOnRowsWithoutKeys) {
  cudnn::Arguments a = arguments(2, 2, 8, at::kHalf);
  a.attn_bias = at::full({2, 2}, -kInfinity, a.q.options());
  const cudnn::Output output = cudnn::forward(a, LseShape::BHS);
  EXPECT_EQ(output.log_sumexp.max().item<double>(), -kInfinity);
  EXPECT_TRUE(output.out.isnan().all().item<bool>());
  const auto grads = cudnn::backward(a.q, a, a.q, output.log_sumexp, LseShape::BHS);
  EXPECT_TRUE(grads.dq.isnan().all().item<bool>());
}

}  // namespace
}  // namespace attncheck

#include <ATen/core/ivalue.h>
#include <gtest/gtest.h>

#include "impl/backends/built_in.h"
#include "impl/backends/cuda_call.h"
#include "impl/backends/cuda_device.h"
#include "impl/backends/cuda_support.h"
#include "impl/backends/diagonal_pieces.h"
#include "tests/impl/problems_testing.h"

namespace attncheck::testing {
namespace {

Problem half_block() {
  Problem p;
  p.heads = p.kv_heads = 4;
  p.q_len = p.kv_len = 64;
  p.head_dim = p.v_head_dim = 128;
  p.dtype = DType::bf16;
  return p;
}

Problem with_head_dim(int64_t head_dim) {
  Problem p = half_block();
  p.head_dim = p.v_head_dim = head_dim;
  return p;
}

void expect_refused(const Support& support, const std::string& part) {
  EXPECT_FALSE(support.ok);
  EXPECT_NE(support.reason.find(part), std::string::npos) << support.reason;
}

TEST(CudaBackends, SayThatThereIsNoDevice) {
  if (cuda_device().here) GTEST_SKIP() << "not_run: there is a CUDA device here";
  for (const Backend& backend : cuda_backends()) {
    EXPECT_EQ(backend.supports(half_block()).reason, "no CUDA device here") << backend.name;
  }
}

TEST(CudaBackends, DeclareTheOperatorThatTheyCall) {
  std::vector<std::string> ops;
  for (const Backend& backend : cuda_backends()) ops.push_back(backend.contract.op);
  EXPECT_EQ(ops, (std::vector<std::string>{"aten::_scaled_dot_product_cudnn_attention",
                                           "aten::_scaled_dot_product_flash_attention",
                                           "aten::_scaled_dot_product_efficient_attention"}));
}

TEST(CudaSupport, TakesWhatModelsHave) {
  for (const int sm : {80, 90, 100, 120}) {
    EXPECT_TRUE(cudnn_support(half_block(), sm));
    EXPECT_TRUE(flash_cuda_support(half_block(), sm));
    EXPECT_TRUE(efficient_cuda_support(half_block(), sm));
  }
}

TEST(CudaSupport, RefusesOlderAndUnknownDevices) {
  expect_refused(cudnn_support(half_block(), 75), "SM 8.0 to 12.1: this is SM 7.5");
  expect_refused(flash_cuda_support(half_block(), 75), "SM 8.0");
  expect_refused(cudnn_support(half_block(), 130), "SM 13.0");
}

TEST(CudaSupport, RefusesDtypesThatAKernelHasNot) {
  Problem p = half_block();
  p.dtype = DType::f32;
  expect_refused(cudnn_support(p, 90), "the dtype is f32");
  expect_refused(flash_cuda_support(p, 90), "the dtype is f32");
  EXPECT_TRUE(efficient_cuda_support(p, 90));
  p.dtype = DType::f64;
  expect_refused(efficient_cuda_support(p, 90), "f64");
}

TEST(CudaSupport, GoesByHeadDim) {
  expect_refused(cudnn_support(with_head_dim(63), 90), "multiples of 8");
  expect_refused(cudnn_support(with_head_dim(136), 90), "up to 128");
  EXPECT_TRUE(cudnn_takes_backward(with_head_dim(256), 90));  // LibTorch's releases differ
  expect_refused(cudnn_takes_backward(with_head_dim(136), 100), "up to 128");
  EXPECT_TRUE(flash_cuda_support(with_head_dim(256), 90));
  expect_refused(flash_cuda_support(with_head_dim(256), 86), "up to 192");
  expect_refused(flash_cuda_support(with_head_dim(264), 90), "up to 256");
}

TEST(CudaSupport, GoesByLengthsMasksAndHeads) {
  Problem single = half_block();
  single.kv_len = 1;
  expect_refused(cudnn_support(single, 90), "more than one key");
  single.q_len = 1;
  expect_refused(cudnn_takes_backward(single, 90), "q=1, kv=1");
  EXPECT_TRUE(cudnn_takes_forward(single, 90));
  Problem masked = half_block();
  masked.mask = Mask::boolean;
  expect_refused(flash_cuda_support(masked, 90), "takes no mask");
  EXPECT_TRUE(cudnn_support(masked, 90));
  Problem grouped = half_block();
  grouped.kv_heads = 3;
  expect_refused(cudnn_support(grouped, 90), "h=4, hkv=3");
}

// What the pieces see, with a mark at (query, key).
std::vector<bool> seen_by(const std::vector<DiagonalPiece>& pieces, int64_t q_len, int64_t kv_len) {
  std::vector<bool> seen(q_len * kv_len, false);
  for (const DiagonalPiece& piece : pieces) {
    for (int64_t i = 0; i < piece.queries; ++i) {
      const int64_t end = piece.causal ? i + 1 + piece.keys - piece.queries : piece.keys;
      for (int64_t j = 0; j < end; ++j) seen.at((piece.first_query + i) * kv_len + j) = true;
    }
  }
  return seen;
}

TEST(DiagonalPieces, SeeWhatTheDiagonalLetsSee) {
  for (int64_t q_len = 1; q_len <= 4; ++q_len) {
    for (int64_t kv_len = 1; kv_len <= 4; ++kv_len) {
      for (int64_t diagonal = -5; diagonal <= 5; ++diagonal) {
        const auto pieces = diagonal_pieces(q_len, kv_len, diagonal);
        std::vector<bool> expected;
        for (int64_t i = 0; i < q_len; ++i) {
          for (int64_t j = 0; j < kv_len; ++j) expected.push_back(j <= i + diagonal);
        }
        EXPECT_EQ(seen_by(pieces, q_len, kv_len), expected)
            << "q=" << q_len << " kv=" << kv_len << " diagonal=" << diagonal;
        EXPECT_LE(pieces.size(), 2U);
        for (const DiagonalPiece& piece : pieces) EXPECT_GT(piece.queries, 0);
      }
    }
  }
}

// flash_cpu as if it had no room for a column: math takes a grad_lse by itself.
TEST(LseCotangent, IsASecondCallOfTheKernel) {
  const Whole w = whole({.q_len = 5, .kv_len = 7, .heads = 4, .kv_heads = 2}, 1);
  const Expected truth = expected(w);
  const BackendBackward call{w.inputs, w.grad_out, w.grad_lse, truth.out, truth.lse, {}};
  const BackendGrads grads = with_lse_cotangent(call, built_in_backend("flash_cpu").backward);
  EXPECT_LT(difference(grads.dq, truth.dq), 1e-12);
  EXPECT_LT(difference(grads.dk, truth.dk), 1e-12);
  EXPECT_LT(difference(grads.dv, truth.dv), 1e-12);
}

}  // namespace
}  // namespace attncheck::testing

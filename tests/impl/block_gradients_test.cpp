#include <limits>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/layouts/blocks.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::expected;
using testing::Sizes;
using testing::Whole;
using testing::whole;

constexpr double kTolerance = 1e-12;

class BlockGradients : public ::testing::TestWithParam<std::string> {
 protected:
  Backend backend() const { return testing::built_in_backend(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Backends, BlockGradients, ::testing::Values("math", "flash_cpu", "auto"),
                         [](const auto& info) { return info.param; });

// The part of `w` of some queries and some keys, with the global result.
BackendBackward block_of(const Whole& w, const Expected& global, Span rows, Span keys) {
  const auto type = w.inputs.q.scalar_type();
  const auto row = [&](const at::Tensor& x) { return x.narrow(1, rows.begin, rows.length); };
  const auto key = [&](const at::Tensor& x) { return x.narrow(1, keys.begin, keys.length); };
  BackendBackward call;
  call.block = w.inputs;
  call.block.q = row(w.inputs.q);
  call.block.k = key(w.inputs.k);
  call.block.v = key(w.inputs.v);
  if (w.inputs.diagonal) call.block.diagonal = *w.inputs.diagonal + rows.begin - keys.begin;
  if (w.inputs.mask.defined()) {
    call.block.mask =
        w.inputs.mask.narrow(2, rows.begin, rows.length).narrow(3, keys.begin, keys.length);
  }
  call.grad_out = row(w.grad_out);
  if (w.grad_lse.defined()) call.grad_lse = row(w.grad_lse);
  call.out = row(global.out).to(type);
  call.lse = row(global.lse).to(type == at::kDouble ? type : at::kFloat);
  return call;
}

Span equal_span(int64_t len, int spans, int index) {
  return {index * (len / spans), len / spans};
}

// The sum of the blocks' gradients is the gradient of the whole.
void expect_block_by_block(const Backend& backend, const Whole& w, int row_blocks, int key_blocks,
                           double tolerance = kTolerance) {
  const Expected want = expected(w);
  at::Tensor dq = at::zeros_like(want.dq), dk = at::zeros_like(want.dk),
             dv = at::zeros_like(want.dv);
  for (int i = 0; i < row_blocks; ++i) {
    const Span rows = equal_span(w.inputs.q.size(1), row_blocks, i);
    for (int j = 0; j < key_blocks; ++j) {
      const Span keys = equal_span(w.inputs.k.size(1), key_blocks, j);
      const BackendGrads grads = attend_backward(backend, block_of(w, want, rows, keys));
      EXPECT_EQ(grads.dq.scalar_type(), w.inputs.q.scalar_type());
      dq.narrow(1, rows.begin, rows.length).add_(grads.dq);
      dk.narrow(1, keys.begin, keys.length).add_(grads.dk);
      dv.narrow(1, keys.begin, keys.length).add_(grads.dv);
    }
  }
  EXPECT_LE(difference(dq, want.dq), tolerance);
  EXPECT_LE(difference(dk, want.dk), tolerance);
  EXPECT_LE(difference(dv, want.dv), tolerance);
}

Whole without_grad_lse(Whole w) {
  w.grad_lse = at::Tensor();
  return w;
}

TEST_P(BlockGradients, SumToTheDenseGradient) {
  for (int blocks : {1, 2, 3}) {
    expect_block_by_block(backend(), without_grad_lse(whole({})), blocks, blocks);
  }
}

TEST_P(BlockGradients, SumToTheDenseGradientOfTheLse) {
  for (int blocks : {1, 2, 3}) expect_block_by_block(backend(), whole({}), blocks, blocks);
}

TEST_P(BlockGradients, AreRightOnEveryDiagonalAndOnEmptyRows) {
  for (int64_t diagonal = -8; diagonal <= 8; ++diagonal) {
    SCOPED_TRACE(diagonal);
    expect_block_by_block(backend(), whole({.q_len = 6, .kv_len = 8}, diagonal), 2, 2);
    expect_block_by_block(backend(), without_grad_lse(whole({.q_len = 8, .kv_len = 6}, diagonal)),
                          2, 3);
  }
}

TEST_P(BlockGradients, AreRightOnLongDiagonals) {
  for (const auto& [rows, keys] : {std::pair{256, 257}, {700, 700}, {530, 512}, {300, 600}}) {
    SCOPED_TRACE(keys);
    const Sizes sizes{.batch = 1, .q_len = rows, .kv_len = keys, .heads = 2, .kv_heads = 1};
    expect_block_by_block(backend(), whole(sizes, 0), 1, 1);
    expect_block_by_block(backend(), without_grad_lse(whole(sizes, 0)), 1, 1);
  }
}

TEST_P(BlockGradients, SumOverGroupedHeads) {
  expect_block_by_block(backend(), whole({.heads = 6, .kv_heads = 2}, 0), 2, 2);
}

TEST_P(BlockGradients, AreRightUnderMasksWithEmptyRows) {
  Whole w = whole({.q_len = 6, .kv_len = 8});
  w.inputs.mask = testing::normal({2, 1, 6, 8}, 9) > 0.0;
  w.inputs.mask.select(2, 3).fill_(false);
  expect_block_by_block(backend(), w, 1, 1);
  expect_block_by_block(backend(), w, 2, 2);
  w.inputs.mask = testing::normal({2, 4, 6, 8}, 9);
  expect_block_by_block(backend(), w, 2, 2);
}

TEST_P(BlockGradients, AreRightOnAnyStrides) {
  Whole w = whole({});
  w.grad_out = w.grad_out.narrow(3, 0, 1).expand({-1, -1, -1, 3});
  w.inputs.k = w.inputs.k.transpose(1, 3).contiguous().transpose(1, 3);
  expect_block_by_block(backend(), w, 2, 3);
}

TEST_P(BlockGradients, StayInTheDtypeOfTheInputs) {
  expect_block_by_block(backend(), whole({}, 0, at::kFloat), 2, 2, 1e-5);
  expect_block_by_block(backend(), whole({}, 0, at::kBFloat16), 2, 2, 0.15);
  expect_block_by_block(backend(), whole({}, 0, at::kHalf), 2, 2, 0.02);
}

TEST(MathBlockGradients, TakeAnOwnHeadDimOfV) {
  expect_block_by_block(math_backend(), whole({.v_head_dim = 5}, 1), 2, 2);
}

TEST_P(BlockGradients, AreRightForLogitsOfAThousand) {
  Whole w = whole({});
  w.inputs.q = w.inputs.q * 1000.0;
  expect_block_by_block(backend(), w, 2, 2, 1e-8);  // dk carries the factor of q
}

}  // namespace
}  // namespace attncheck

#include "impl/backends/native.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/ulysses/ulysses_attention.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::expected;
using testing::Whole;
using testing::whole;

// Forward and backward against the oracle, without a cotangent of lse.
void expect_attention(Whole w, double tolerance = 1e-12) {
  w.grad_lse = at::Tensor();
  const auto want = expected(w);
  const Backend native = native_backend();
  const BlockAttention got = attend(native, w.inputs);
  EXPECT_FALSE(got.lse.defined());
  EXPECT_EQ(got.out.scalar_type(), w.inputs.q.scalar_type());
  EXPECT_LE(difference(got.out, want.out), tolerance);
  const BackendGrads grads =
      attend_backward(native, {w.inputs, w.grad_out, {}, got.out, {}, got.aux});
  EXPECT_LE(difference(grads.dq, want.dq), tolerance);
  EXPECT_LE(difference(grads.dk, want.dk), tolerance);
  EXPECT_LE(difference(grads.dv, want.dv), tolerance);
  EXPECT_FALSE(grads.dq.requires_grad() || grads.dk.requires_grad() || grads.dv.requires_grad());
}

TEST(Native, GivesDenseAttentionAndItsGradients) {
  expect_attention(whole({}));
  expect_attention(whole({.batch = 1,
                          .q_len = 1,
                          .kv_len = 1,
                          .heads = 1,
                          .kv_heads = 1,
                          .head_dim = 1,
                          .v_head_dim = 1}));
  expect_attention(whole({.q_len = 5, .kv_len = 11, .head_dim = 7, .v_head_dim = 7}));
  expect_attention(whole({.batch = 1, .q_len = 70, .kv_len = 600, .heads = 2, .kv_heads = 2}, 530));
}

TEST(Native, SharesGroupedHeadsAndTakesAnOwnHeadDimOfV) {
  expect_attention(whole({.heads = 6, .kv_heads = 2}));
  expect_attention(whole({.heads = 3, .kv_heads = 1, .v_head_dim = 5}, 0));
}

TEST(Native, HidesKeysPastAnyDiagonal) {
  for (int64_t diagonal = -8; diagonal <= 8; ++diagonal) {
    SCOPED_TRACE(diagonal);
    expect_attention(whole({.q_len = 5, .kv_len = 7}, diagonal));
    expect_attention(whole({.q_len = 7, .kv_len = 5, .v_head_dim = 4}, diagonal));
  }
}

TEST(Native, TakesMasksWithEmptyRows) {
  Whole w = whole({.q_len = 5, .kv_len = 7});
  w.inputs.mask = testing::normal({2, 1, 5, 7}, 9) > -0.5;
  w.inputs.mask.select(2, 3).fill_(false);
  expect_attention(w);
  w.inputs.diagonal = -1;
  expect_attention(w);
  w.inputs.mask = testing::normal({2, 4, 5, 7}, 9);
  w.inputs.mask.select(2, 3).fill_(-std::numeric_limits<double>::infinity());
  expect_attention(w);
}

TEST(Native, IsRightOnAnyStridesAndForLargeLogits) {
  Whole w = whole({});
  w.inputs.q = w.inputs.q.transpose(2, 3).contiguous().transpose(2, 3);
  w.inputs.k = w.inputs.k.narrow(0, 0, 1).expand({2, -1, -1, -1});
  w.grad_out = w.grad_out.narrow(3, 0, 1).expand({-1, -1, -1, 3});
  expect_attention(w);
  w.inputs.q = w.inputs.q * 1000.0;
  expect_attention(w, 1e-8);
}

TEST(Native, HasNoGradientOfAnLse) {
  const Whole w = whole({});
  const Backend native = native_backend();
  EXPECT_THROW(native.backward({w.inputs, w.grad_out, w.grad_lse, {}, {}, {}}), c10::Error);
}

// On each of two ranks half of the sequence, then half of the heads.
TEST(Native, CarriesUlyssesForwardAndBackward) {
  Whole w = whole({}, 0);
  w.grad_lse = at::Tensor();
  const auto want = expected(w);
  const Backend native = native_backend();
  testing::run_on_mesh({1, 2}, [&](const MeshGroups& groups) {
    const auto shard = [&](const at::Tensor& x) { return x.narrow(1, 3 * groups.rank, 3); };
    const auto leaf = [&](const at::Tensor& x) { return shard(x).detach().requires_grad_(true); };
    const at::Tensor q = leaf(w.inputs.q), k = leaf(w.inputs.k), v = leaf(w.inputs.v);
    AttentionOptions options;
    options.backend = &native;
    options.scale = w.inputs.scale;
    options.causal = true;
    options.q_len = options.kv_len = 6;
    options.return_lse = false;
    const Attention got = ulysses_implementation().attention(q, k, v, options, groups);
    EXPECT_FALSE(got.lse.defined());
    EXPECT_LE(difference(got.out.detach(), shard(want.out)), 1e-12);
    const auto grads = testing::gradients({got.out}, {q, k, v}, {shard(w.grad_out)});
    EXPECT_LE(difference(grads[0], shard(want.dq)), 1e-12);
    EXPECT_LE(difference(grads[1], shard(want.dk)), 1e-12);
    EXPECT_LE(difference(grads[2], shard(want.dv)), 1e-12);
  });
}

}  // namespace
}  // namespace attncheck

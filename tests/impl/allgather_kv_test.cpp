#include <optional>

#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/math.h"
#include "impl/backends/native.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Whole;

constexpr int kRanks = 3;
constexpr int64_t kTokens = 14;  // which the ranks do not divide, nor twice as many runs

// Keys that a kernel was given, call by call. Ranks of a simulated mesh run one at a time.
struct Calls {
  std::vector<int64_t> forward, backward;
};

Backend counting(Backend backend, Calls& calls) {
  backend.forward = [right = backend.forward, &calls](const BackendInputs& block) {
    calls.forward.push_back(block.k.size(1));
    return right(block);
  };
  backend.backward = [right = backend.backward, &calls](const BackendBackward& call) {
    calls.backward.push_back(call.block.k.size(1));
    return right(call);
  };
  return backend;
}

at::Tensor shard(const at::Tensor& x, Layout layout, int rank) {
  if (layout == Layout::striped) return x.slice(1, rank, std::nullopt, kRanks);
  if (layout == Layout::contiguous) return x.tensor_split(kRanks, 1)[rank];
  const auto runs = x.tensor_split(2 * kRanks, 1);
  return at::cat({runs[rank], runs[2 * kRanks - 1 - rank]}, 1);
}

AttentionOptions options_of(const Whole& w, const Backend& backend, Layout layout) {
  AttentionOptions options;
  options.backend = &backend;
  options.scale = w.inputs.scale;
  options.causal = w.inputs.diagonal.has_value();
  options.q_len = options.kv_len = kTokens;
  options.layout = layout;
  options.return_lse = backend.contract.lse;
  return options;
}

// Forward and backward of out alone on every rank, against the oracle.
void expect_right(const Backend& backend, Layout layout, std::optional<int64_t> diagonal) {
  Whole w = testing::whole({.q_len = kTokens, .kv_len = kTokens}, diagonal);
  w.grad_lse = at::Tensor();
  const testing::Expected want = testing::expected(w);
  const AttentionOptions options = options_of(w, backend, layout);
  testing::run_on_mesh({kRanks, 1}, [&](const MeshGroups& groups) {
    const auto own = [&](const at::Tensor& x) { return shard(x, layout, groups.rank); };
    const auto leaf = [&](const at::Tensor& x) { return own(x).detach().requires_grad_(true); };
    const at::Tensor q = leaf(w.inputs.q), k = leaf(w.inputs.k), v = leaf(w.inputs.v);
    const Attention got = allgather_kv_implementation().attention(q, k, v, options, groups);
    EXPECT_EQ(got.lse.defined(), options.return_lse);
    EXPECT_LE(difference(got.out.detach(), own(want.out)), 1e-12);
    const auto grads = testing::gradients({got.out}, {q, k, v}, {own(w.grad_out)});
    EXPECT_LE(difference(grads[0], own(want.dq)), 1e-12);
    EXPECT_LE(difference(grads[1], own(want.dk)), 1e-12);
    EXPECT_LE(difference(grads[2], own(want.dv)), 1e-12);
  });
}

// By rank.
std::vector<Calls> calls_of(Layout layout, std::optional<int64_t> diagonal) {
  std::vector<Calls> all(kRanks);
  Whole w = testing::whole({.q_len = kTokens, .kv_len = kTokens}, diagonal);
  testing::run_on_mesh({kRanks, 1}, [&](const MeshGroups& groups) {
    const Backend backend = counting(math_backend(), all[groups.rank]);
    const auto own = [&](const at::Tensor& x) { return shard(x, layout, groups.rank); };
    const at::Tensor q = own(w.inputs.q).detach().requires_grad_(true);
    const Attention got = allgather_kv_implementation().attention(
        q, own(w.inputs.k), own(w.inputs.v), options_of(w, backend, layout), groups);
    testing::gradients({got.out}, {q}, {own(w.grad_out)});
  });
  return all;
}

TEST(AllgatherKv, CallsTheKernelOnceWhereNotCausal) {
  for (const Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
    for (const Calls& calls : calls_of(layout, {})) {
      EXPECT_EQ(calls.forward, std::vector<int64_t>{kTokens});
      EXPECT_EQ(calls.backward, calls.forward);
    }
  }
}

// 14 tokens are runs of 5, 5 and 4, or of 3, 3, 2, 2, 2 and 2, of which the last rank has
// neighbours.
TEST(AllgatherKv, CallsItOnceForEachCausalRunWithTheKeysUpToItsEnd) {
  const std::vector<std::vector<int64_t>> contiguous{{5}, {10}, {14}},
      zigzag{{3, 14}, {6, 12}, {10}};
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(calls_of(Layout::contiguous, 0)[rank].forward, contiguous[rank]);
    EXPECT_EQ(calls_of(Layout::zigzag, 0)[rank].forward, zigzag[rank]);
    EXPECT_EQ(calls_of(Layout::zigzag, 0)[rank].backward, zigzag[rank]);
  }
}

TEST(AllgatherKv, CallsItOnceForEachStripeThatACausalStripeMeets) {
  for (const Calls& calls : calls_of(Layout::striped, 0)) {
    EXPECT_EQ(calls.forward.size(), size_t{kRanks});
    EXPECT_EQ(calls.backward, calls.forward);
  }
}

TEST(AllgatherKv, NeedsNoLogSumExpWhereNothingIsMerged) {
  for (const Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
    expect_right(native_backend(), layout, {});
    if (layout == Layout::striped) continue;
    expect_right(native_backend(), layout, 0);
  }
}

}  // namespace
}  // namespace attncheck

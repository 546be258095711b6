#include <numeric>
#include <optional>

#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::Whole;

constexpr double kTolerance = 1e-12;

// What a rank holds of x (B, S, ...), cut by LibTorch's own functions.
at::Tensor shard(const at::Tensor& x, const AttentionOptions& options, const MeshGroups& groups) {
  const int64_t ranks = groups.mesh.world(), rank = groups.rank;
  if (options.layout == Layout::striped) return x.slice(1, rank, std::nullopt, ranks);
  if (options.layout == Layout::zigzag) {
    const auto runs = x.tensor_split(2 * ranks, 1);
    return at::cat({runs[rank], runs[2 * ranks - 1 - rank]}, 1);
  }
  const auto& shards = options.shards;
  if (!shards.empty() && std::accumulate(shards.begin(), shards.end(), int64_t{0}) == x.size(1)) {
    return x.split_with_sizes(shards, 1)[rank];
  }
  return x.tensor_split(ranks, 1)[rank];
}

struct Trial {
  Implementation implementation;
  Mesh mesh;
  AttentionOptions options;
};

void expect_rank(const Trial& trial, const Whole& w, const Expected& want,
                 const MeshGroups& groups) {
  const auto own = [&](const at::Tensor& x) { return shard(x, trial.options, groups); };
  const auto leaf = [&](const at::Tensor& x) { return own(x).detach().requires_grad_(true); };
  const std::vector<at::Tensor> inputs{leaf(w.inputs.q), leaf(w.inputs.k), leaf(w.inputs.v)};
  const Attention got =
      trial.implementation.attention(inputs[0], inputs[1], inputs[2], trial.options, groups);
  EXPECT_LE(difference(got.out.detach(), own(want.out)), kTolerance);
  EXPECT_LE(difference(got.lse.detach(), own(want.lse)), kTolerance);
  const auto grads =
      testing::gradients({got.out, got.lse}, inputs, {own(w.grad_out), own(w.grad_lse)});
  EXPECT_LE(difference(grads[0], own(want.dq)), kTolerance);
  EXPECT_LE(difference(grads[1], own(want.dk)), kTolerance);
  EXPECT_LE(difference(grads[2], own(want.dv)), kTolerance);
}

// Causal with both alignments, and not.
void expect_right(Trial trial, int64_t q_len, int64_t kv_len) {
  const testing::Sizes sizes{.q_len = q_len, .kv_len = kv_len, .heads = 6, .kv_heads = 6};
  trial.options.q_len = q_len;
  trial.options.kv_len = kv_len;
  const bool wide =
      trial.options.rotate == Rotate::allgather;  // how keys move is no kernel's matter
  for (const Backend& backend : {math_backend(), flash_cpu_backend()}) {
    if (!wide && backend.name != "math") continue;
    for (const std::optional<Align> align : {std::optional<Align>{}, std::optional{Align::top_left},
                                             std::optional{Align::bottom_right}}) {
      std::optional<int64_t> diagonal;
      if (align) diagonal = *align == Align::top_left ? 0 : kv_len - q_len;
      const Whole w = testing::whole(sizes, diagonal);
      const Expected want = testing::expected(w);
      trial.options.backend = &backend;
      trial.options.scale = w.inputs.scale;
      trial.options.causal = align.has_value();
      trial.options.align = align.value_or(Align::top_left);
      testing::run_on_mesh(trial.mesh,
                           [&](const MeshGroups& groups) { expect_rank(trial, w, want, groups); });
    }
  }
}

std::vector<Trial> every_trial() {
  std::vector<Trial> trials;
  for (const Rotate rotate : {Rotate::allgather, Rotate::p2p, Rotate::alltoall}) {
    AttentionOptions options;
    options.rotate = rotate;
    for (const MeshOrder order : {MeshOrder::ru, MeshOrder::ur}) {
      trials.push_back({ring_implementation(), {3, 1, order}, options});
      trials.push_back({unified_implementation(), {2, 2, order}, options});
      trials.push_back({unified_implementation(), {2, 3, order}, options});
      if (rotate != Rotate::allgather) continue;
      trials.push_back({ulysses_implementation(), {1, 3, order}, options});
      trials.push_back({allgather_kv_implementation(), {3, 1, order}, options});
    }
  }
  return trials;
}

TEST(UnevenAttention, IsDenseAttentionInEveryLayoutAndLength) {
  for (Trial trial : every_trial()) {
    for (const Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
      trial.options.layout = layout;
      for (const auto& [q_len, kv_len] : {std::pair{13, 13}, std::pair{17, 7}, std::pair{2, 9}}) {
        SCOPED_TRACE(trial.implementation.name + " " + to_text(trial.mesh) + " layout " +
                     std::to_string(static_cast<int>(layout)) + " q " + std::to_string(q_len) +
                     " kv " + std::to_string(kv_len));
        expect_right(trial, q_len, kv_len);
      }
    }
  }
}

// 11 tokens of both, or of the queries or the keys alone.
TEST(UnevenAttention, TakesShardsInEveryOrderAndEmptyOnes) {
  for (Trial trial : every_trial()) {
    const int world = trial.mesh.world();
    for (const int first : {0, world - 1}) {
      trial.options.shards.assign(world, 0);
      trial.options.shards[first] = 8;
      trial.options.shards[(first + 2) % world] += 3;
      for (const auto& [q_len, kv_len] : {std::pair{11, 11}, std::pair{11, 6}, std::pair{4, 11}}) {
        SCOPED_TRACE(trial.implementation.name + " " + to_text(trial.mesh) + " first " +
                     std::to_string(first) + " q " + std::to_string(q_len));
        expect_right(trial, q_len, kv_len);
      }
    }
  }
}

TEST(UnevenAttention, RefusesAShardOfAnotherLength) {
  AttentionOptions options;
  const Backend backend = math_backend();
  options.backend = &backend;
  options.q_len = options.kv_len = 7;
  options.layout = Layout::zigzag;
  const auto errors = testing::errors_on_mesh({2, 1}, [&](const MeshGroups& groups) {
    const at::Tensor x = testing::normal({1, 5 - groups.rank, 2, 3}, 1);
    ring_implementation().attention(x, x, x, options, groups);
  });
  EXPECT_NE(errors[0].value_or("").find("has 5 tokens, expected 3 of 7"), std::string::npos);
}

}  // namespace
}  // namespace attncheck

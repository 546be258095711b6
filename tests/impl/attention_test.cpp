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
using testing::expected;
using testing::Sizes;
using testing::Whole;
using testing::whole;

constexpr double kTolerance = 1e-12;

// One problem on one mesh, judged rank by rank against the oracle.
struct Trial {
  Implementation implementation;
  Mesh mesh;
  Backend backend = math_backend();
  AttentionOptions options;
  double tolerance = kTolerance;
};

at::Tensor shard(const at::Tensor& x, const MeshGroups& groups) {
  const int64_t length = x.size(1) / groups.mesh.world();
  return x.narrow(1, groups.rank * length, length);
}

at::Tensor leaf(const at::Tensor& x, const MeshGroups& groups) {
  return shard(x, groups).detach().requires_grad_(true);
}

void expect_rank(const Trial& trial, const AttentionOptions& options, const Whole& w,
                 const Expected& want, const MeshGroups& groups) {
  const std::vector<at::Tensor> inputs{leaf(w.inputs.q, groups), leaf(w.inputs.k, groups),
                                       leaf(w.inputs.v, groups)};
  const Attention got =
      trial.implementation.attention(inputs[0], inputs[1], inputs[2], options, groups);
  EXPECT_EQ(got.out.scalar_type(), inputs[0].scalar_type());
  EXPECT_LE(difference(got.out.detach(), shard(want.out, groups)), trial.tolerance);
  ASSERT_EQ(got.lse.defined(), options.return_lse);
  std::vector<at::Tensor> roots, cotangents;
  if (w.grad_out.defined()) {
    roots.push_back(got.out);
    cotangents.push_back(shard(w.grad_out, groups));
  }
  if (got.lse.defined()) {
    EXPECT_LE(difference(got.lse.detach(), shard(want.lse, groups)), trial.tolerance);
    if (w.grad_lse.defined()) {
      roots.push_back(got.lse);
      cotangents.push_back(shard(w.grad_lse, groups));
    }
  }
  const auto grads = testing::gradients(roots, inputs, cotangents);
  const at::Tensor wanted[] = {want.dq, want.dk, want.dv};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(grads[i].defined());
    EXPECT_EQ(grads[i].scalar_type(), inputs[i].scalar_type());
    EXPECT_LE(difference(grads[i], shard(wanted[i], groups)), trial.tolerance) << "input " << i;
  }
}

void expect_right(const Trial& trial, const Whole& w) {
  SCOPED_TRACE(trial.implementation.name + " " + trial.backend.name + " " + to_text(trial.mesh));
  AttentionOptions options = trial.options;
  options.backend = &trial.backend;
  options.scale = w.inputs.scale;
  options.q_len = w.inputs.q.size(1);
  options.kv_len = w.inputs.k.size(1);
  const Expected want = expected(w);
  testing::run_on_mesh(
      trial.mesh, [&](const MeshGroups& groups) { expect_rank(trial, options, w, want, groups); });
}

std::vector<Trial> every_trial() {
  std::vector<Trial> trials;
  for (const Backend& backend : {math_backend(), flash_cpu_backend()}) {
    for (Rotate rotate : {Rotate::allgather, Rotate::p2p}) {
      AttentionOptions options;
      options.rotate = rotate;
      for (int degree = 1; degree <= 4; ++degree) {
        trials.push_back({ring_implementation(), {degree, 1}, backend, options});
        if (rotate == Rotate::p2p) continue;
        trials.push_back({ulysses_implementation(), {1, degree}, backend, options});
        trials.push_back({allgather_kv_implementation(), {degree, 1}, backend, options});
      }
      for (const Mesh& mesh : {Mesh{1, 1}, Mesh{2, 2}, Mesh{3, 2}, Mesh{2, 3}}) {
        trials.push_back({unified_implementation(), mesh, backend, options});
      }
    }
  }
  return trials;
}

constexpr Sizes kSizes{.q_len = 12, .kv_len = 24, .heads = 12, .kv_heads = 12};

TEST(Attention, IsDenseAttention) {
  for (const Trial& trial : every_trial()) expect_right(trial, whole(kSizes));
}

TEST(Attention, TakesHeadsOfAnyNumber) {
  for (const Trial& trial : every_trial()) {
    for (const auto& [heads, kv_heads] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {4, 2}, {5, 5}, {6, 3}, {7, 1}, {9, 3}}) {
      SCOPED_TRACE(std::to_string(heads) + " heads, " + std::to_string(kv_heads) + " KV heads");
      expect_right(trial, whole({.q_len = 12, .kv_len = 24, .heads = heads, .kv_heads = kv_heads}));
    }
  }
}

TEST(Attention, GivesTheGradientOfOutAlone) {
  for (const Trial& trial : every_trial()) {
    Whole w = whole(kSizes);
    w.grad_lse = at::Tensor();
    expect_right(trial, w);
  }
}

TEST(Attention, GivesTheGradientOfTheLseAlone) {
  for (const Trial& trial : every_trial()) {
    Whole w = whole(kSizes);
    w.grad_out = at::Tensor();
    expect_right(trial, w);
  }
}

TEST(Attention, ReturnsNoLseUnlessAsked) {
  for (Trial trial : every_trial()) {
    trial.options.return_lse = false;
    Whole w = whole(kSizes);
    w.grad_lse = at::Tensor();
    expect_right(trial, w);
  }
}

TEST(Attention, IsCausalWithBothAlignments) {
  for (Trial trial : every_trial()) {
    trial.options.causal = true;
    for (const auto& [q_len, kv_len] : {std::pair{12, 24}, std::pair{24, 12}}) {
      Sizes sizes = kSizes;
      sizes.q_len = q_len;
      sizes.kv_len = kv_len;
      trial.options.align = Align::top_left;
      expect_right(trial, whole(sizes, 0));
      trial.options.align = Align::bottom_right;
      expect_right(trial, whole(sizes, kv_len - q_len));
    }
  }
}

TEST(Attention, SharesGroupedHeads) {
  for (const Trial& trial : every_trial()) {
    Sizes sizes = kSizes;
    sizes.heads = 24;
    expect_right(trial, whole(sizes));
  }
}

TEST(Attention, TakesAnOwnHeadDimOfV) {
  for (const Trial& trial : every_trial()) {
    if (trial.backend.name != "math") continue;
    Sizes sizes = kSizes;
    sizes.v_head_dim = 5;
    expect_right(trial, whole(sizes));
  }
}

TEST(Attention, IsRightOnAnyStrides) {
  for (const Trial& trial : every_trial()) {
    Whole w = whole(kSizes);
    w.inputs.q = w.inputs.q.transpose(1, 2).contiguous().transpose(1, 2);
    w.inputs.k = w.inputs.k.narrow(0, 0, 1).expand({2, -1, -1, -1});
    w.inputs.v = w.inputs.v.transpose(1, 3).contiguous().transpose(1, 3);
    w.grad_out = w.grad_out.narrow(3, 0, 1).expand({-1, -1, -1, 3});
    expect_right(trial, w);
  }
}

TEST(Attention, KeepsTheDtypeOfNarrowInputs) {
  for (Trial trial : every_trial()) {
    trial.tolerance = 2e-5;
    expect_right(trial, whole(kSizes, {}, at::kFloat));
    for (bool convert : {true, false}) {
      trial.options.convert_to_fp32 = convert;
      trial.tolerance = 0.2;
      expect_right(trial, whole(kSizes, {}, at::kBFloat16));
    }
  }
}

TEST(Attention, SecondDerivativesAreRefused) {
  const Whole w = whole(kSizes);
  AttentionOptions options;
  const Backend backend = math_backend();
  options.backend = &backend;
  options.q_len = 12;
  options.kv_len = 24;
  testing::run_on_mesh({1, 1}, [&](const MeshGroups& groups) {
    const at::Tensor q = leaf(w.inputs.q, groups);
    const Attention got =
        ring_implementation().attention(q, w.inputs.k, w.inputs.v, options, groups);
    EXPECT_THROW(got.out.sum().backward({}, std::nullopt, /*create_graph=*/true), c10::Error);
  });
}

}  // namespace
}  // namespace attncheck

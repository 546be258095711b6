#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

// Joint tokens: every rank holds them, has a cotangent of its own for what it gets of them, and
// gets a part of their gradients.
namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::normal;
using testing::Whole;

constexpr double kTolerance = 1e-12;
constexpr int64_t kJoint = 3, kSharded = 11, kTokens = kJoint + kSharded;

struct Trial {
  Implementation implementation;
  Mesh mesh;
  JointPlace place;
  int64_t heads, kv_heads;
};

// Of the whole sequence: joint tokens, and a rank's shard of the others, cut by LibTorch.
class Cut {
 public:
  Cut(const Trial& trial, int rank) : trial_(trial), rank_(rank) {}

  at::Tensor joint(const at::Tensor& x) const {
    return x.narrow(1, in_front() ? 0 : kSharded, kJoint);
  }
  at::Tensor shard(const at::Tensor& x) const {
    return x.narrow(1, in_front() ? kJoint : 0, kSharded)
        .tensor_split(trial_.mesh.world(), 1)[rank_];
  }
  at::Tensor joined(const at::Tensor& joint, const at::Tensor& shard) const {
    return in_front() ? at::cat({joint, shard}, 1) : at::cat({shard, joint}, 1);
  }
  at::Tensor held(const at::Tensor& x) const { return joined(joint(x), shard(x)); }
  // Of what a rank got for what it holds.
  at::Tensor joint_of_held(const at::Tensor& x) const {
    return x.narrow(1, in_front() ? 0 : x.size(1) - kJoint, kJoint);
  }
  at::Tensor shard_of_held(const at::Tensor& x) const {
    return x.narrow(1, in_front() ? kJoint : 0, x.size(1) - kJoint);
  }

 private:
  bool in_front() const { return trial_.place == JointPlace::front; }

  const Trial& trial_;
  int rank_;
};

AttentionOptions options_of(const Trial& trial, const Backend& backend, double scale) {
  AttentionOptions options;
  options.backend = &backend;
  options.scale = scale;
  options.q_len = options.kv_len = kSharded;
  options.joint = {trial.place, kJoint};
  return options;
}

// The parts of the cotangents of joint queries that are those of other ranks than the first.
std::vector<at::Tensor> own_cotangents(const at::Tensor& whole_of_joint, int world, uint64_t seed) {
  std::vector<at::Tensor> parts;
  at::Tensor rest = whole_of_joint;
  for (int rank = 1; rank < world; ++rank) {
    parts.push_back(normal(whole_of_joint.sizes().vec(), seed + rank));
    rest = rest - parts.back();
  }
  parts.insert(parts.begin(), rest);
  return parts;
}

void expect_right(const Trial& trial, const Backend& backend) {
  const Whole w = testing::whole(
      {.q_len = kTokens, .kv_len = kTokens, .heads = trial.heads, .kv_heads = trial.kv_heads});
  const Expected want = testing::expected(w);
  const Cut any(trial, 0);
  const int world = trial.mesh.world();
  const auto grad_out = own_cotangents(any.joint(w.grad_out), world, 90);
  const auto grad_lse = own_cotangents(any.joint(w.grad_lse), world, 190);
  std::vector<at::Tensor> sums{at::zeros_like(any.joint(want.dq)),
                               at::zeros_like(any.joint(want.dk)),
                               at::zeros_like(any.joint(want.dv))};
  testing::run_on_mesh(trial.mesh, [&](const MeshGroups& groups) {
    const Cut cut(trial, groups.rank);
    const auto leaf = [&](const at::Tensor& x) {
      return cut.held(x).detach().requires_grad_(true);
    };
    const std::vector<at::Tensor> inputs{leaf(w.inputs.q), leaf(w.inputs.k), leaf(w.inputs.v)};
    const Attention got = trial.implementation.attention(
        inputs[0], inputs[1], inputs[2], options_of(trial, backend, w.inputs.scale), groups);
    EXPECT_LE(difference(got.out.detach(), cut.held(want.out)), kTolerance);
    EXPECT_LE(difference(got.lse.detach(), cut.held(want.lse)), kTolerance);
    const auto grads =
        testing::gradients({got.out, got.lse}, inputs,
                           {cut.joined(grad_out[groups.rank], cut.shard(w.grad_out)),
                            cut.joined(grad_lse[groups.rank], cut.shard(w.grad_lse))});
    const std::vector<at::Tensor> expected{want.dq, want.dk, want.dv};
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_LE(difference(cut.shard_of_held(grads[i]), cut.shard(expected[i])), kTolerance) << i;
      sums[i] += cut.joint_of_held(grads[i]);
    }
  });
  EXPECT_LE(difference(sums[0], any.joint(want.dq)), kTolerance);
  EXPECT_LE(difference(sums[1], any.joint(want.dk)), kTolerance);
  EXPECT_LE(difference(sums[2], any.joint(want.dv)), kTolerance);
}

TEST(JointTokens, CountOnceAndTheirGradientsAddUp) {
  for (const JointPlace place : {JointPlace::front, JointPlace::rear}) {
    for (const Trial& trial : {Trial{ring_implementation(), {3, 1}, place, 4, 2},
                               Trial{allgather_kv_implementation(), {3, 1}, place, 4, 2},
                               Trial{ulysses_implementation(), {1, 2}, place, 4, 2},
                               Trial{ulysses_implementation(), {1, 3}, place, 4, 4},
                               Trial{unified_implementation(), {2, 2}, place, 4, 4},
                               Trial{unified_implementation(), {2, 3}, place, 4, 2},
                               Trial{unified_implementation(), {1, 1}, place, 2, 1}}) {
      SCOPED_TRACE(trial.implementation.name + " " + to_text(trial.mesh));
      expect_right(trial, math_backend());
      expect_right(trial, flash_cpu_backend());
    }
  }
}

TEST(JointTokens, AreRefusedAmongCausalOnes) {
  const Trial trial{ring_implementation(), {2, 1}, JointPlace::front, 2, 2};
  const Backend backend = math_backend();
  AttentionOptions options = options_of(trial, backend, 1.0);
  options.causal = true;
  const auto errors = testing::errors_on_mesh(trial.mesh, [&](const MeshGroups& groups) {
    const at::Tensor x = normal({1, kJoint + 6 - groups.rank, 2, 3}, 1);
    trial.implementation.attention(x, x, x, options, groups);
  });
  for (const auto& error : errors) {
    EXPECT_NE(error.value_or("").find("joint tokens have no place among causal ones"),
              std::string::npos);
  }
}

TEST(JointTokens, AreMissedWhereAShardIsTooShort) {
  const Trial trial{ring_implementation(), {2, 1}, JointPlace::front, 2, 2};
  const Backend backend = math_backend();
  const auto errors = testing::errors_on_mesh(trial.mesh, [&](const MeshGroups& groups) {
    const at::Tensor x = normal({1, 2, 2, 3}, 1);
    trial.implementation.attention(x, x, x, options_of(trial, backend, 1.0), groups);
  });
  EXPECT_NE(errors[0].value_or("").find("expected 3 joint ones and a shard"), std::string::npos);
}

}  // namespace
}  // namespace attncheck

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::normal;

struct Inputs {
  at::Tensor q, k, v, dout;
};

Inputs inputs(int64_t head_dim, uint64_t seed) {
  const std::vector<int64_t> sizes{1, 2, 1, head_dim};
  return {normal(sizes, seed).requires_grad_(true), normal(sizes, seed + 1),
          normal(sizes, seed + 2), normal(sizes, seed + 3)};
}

at::Tensor out_of(const std::string& name, const Inputs& x, double scale,
                  const MeshGroups& groups) {
  static const Backend backend = math_backend();
  const auto implementation = std::get<Implementation>(testing::mutant(name).subject);
  AttentionOptions options;
  options.backend = &backend;
  options.scale = scale;
  options.q_len = options.kv_len = 2 * groups.mesh.world();
  return implementation.attention(x.q, x.k, x.v, options, groups).out;
}

at::Tensor dq_of(const at::Tensor& out, const Inputs& x) {
  return testing::gradients({out}, {x.q}, {x.dout})[0];
}

TEST(MemoryMutants, QIsScaledInPlace) {
  testing::run_on_mesh(parse_mesh("1x1"), [&](const MeshGroups& groups) {
    const Inputs x = inputs(4, 1);
    const at::Tensor before = x.q.detach().clone();
    out_of("house_scales_q_in_place", x, 0.5, groups);
    EXPECT_TRUE(x.q.detach().equal(before.mul(0.5)));
  });
}

TEST(MemoryMutants, TheCotangentIsReadFromTheBeginningOfItsStorage) {
  testing::run_on_mesh(parse_mesh("1x1"), [&](const MeshGroups& groups) {
    Inputs x = inputs(4, 1);
    const auto largest_dq = [&] {
      const at::Tensor out = out_of("house_cotangent_in_memory_order", x, 1, groups);
      return dq_of(out, x).abs().max().item<double>();
    };
    EXPECT_GT(largest_dq(), 0);
    const at::Tensor storage = at::zeros({1, 4, 1, 4}, at::kDouble);
    x.dout = storage.narrow(1, 2, 2).copy_(x.dout);
    EXPECT_EQ(largest_dq(), 0);
  });
}

TEST(StateMutants, BackwardUsesTheScaleOfTheLastForward) {
  testing::run_on_mesh(parse_mesh("2x1"), [&](const MeshGroups& groups) {
    const std::string name = "house_scale_of_the_last_forward";
    const Inputs a = inputs(4, 1 + groups.rank), b = inputs(4, 10);
    const at::Tensor alone = dq_of(out_of(name, a, 0.5, groups), a);
    const at::Tensor out = out_of(name, a, 0.5, groups);
    out_of(name, b, 1.5, groups);
    EXPECT_GT(difference(dq_of(out, a), alone), 1e-3);
  });
}

TEST(StateMutants, TheHeadDimOfTheFirstCallStays) {
  testing::run_on_mesh(parse_mesh("2x1"), [&](const MeshGroups& groups) {
    const std::string name = "house_head_dim_of_the_first_call";
    const Inputs wide = inputs(8, 1), narrow = inputs(2, 1 + groups.rank);
    out_of(name, wide, 0.5, groups);
    const at::Tensor out = out_of(name, narrow, 0.5, groups);
    const at::Tensor want = out_of("house_scale_of_the_last_forward", narrow, 0.25, groups);
    EXPECT_LE(difference(out.detach(), want.detach()), 1e-15);
  });
}

}  // namespace
}  // namespace attncheck

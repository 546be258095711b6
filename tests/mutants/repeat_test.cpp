#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

Attention call(const Implementation& implementation, const std::vector<at::Tensor>& qkv,
               const MeshGroups& groups) {
  static const Backend backend = math_backend();
  AttentionOptions options;
  options.backend = &backend;
  options.q_len = options.kv_len = qkv[0].size(1) * groups.mesh.world();
  return implementation.attention(qkv[0], qkv[1], qkv[2], options, groups);
}

std::vector<at::Tensor> shards() {
  return {testing::normal({1, 2, 1, 4}, 1), testing::normal({1, 2, 1, 4}, 2),
          testing::normal({1, 2, 1, 4}, 3)};
}

TEST(RepeatMutants, EveryCallDiffersFromTheOneBeforeByAFewUnitsInTheLastPlace) {
  const auto implementation =
      std::get<Implementation>(testing::mutant("house_call_counter_leaks").subject);
  testing::run_on_mesh(parse_mesh("2x1"), [&](const MeshGroups& groups) {
    at::Tensor before = call(implementation, shards(), groups).out;
    for (int i = 0; i < 10; ++i) {
      const at::Tensor now = call(implementation, shards(), groups).out;
      EXPECT_FALSE(now.equal(before));
      EXPECT_LE(testing::difference(now, before), 1e-14);
      before = now;
    }
  });
}

at::Tensor dk_with(const Implementation& implementation, bool q_too, const MeshGroups& groups) {
  std::vector<at::Tensor> qkv = shards();
  qkv[0].requires_grad_(q_too);
  qkv[1].requires_grad_(true);
  const at::Tensor out = call(implementation, qkv, groups).out;
  return testing::gradients({out}, {qkv[1]}, {testing::normal(out.sizes().vec(), 4)})[0];
}

TEST(RepeatMutants, DkIsZeroUnlessQRequiresGrad) {
  const auto implementation =
      std::get<Implementation>(testing::mutant("house_dk_needs_dq").subject);
  testing::run_on_mesh(parse_mesh("1x1"), [&](const MeshGroups& groups) {
    EXPECT_TRUE(dk_with(implementation, true, groups).any().item<bool>());
    EXPECT_FALSE(dk_with(implementation, false, groups).any().item<bool>());
  });
}

}  // namespace
}  // namespace attncheck

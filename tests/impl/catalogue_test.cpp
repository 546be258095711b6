#include "impl/collectives/catalogue.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::normal;

Case sized(const Mesh& mesh) {
  Case c;
  c.mesh = mesh;
  c.problem.batch = 2;
  c.problem.q_len = 2 * mesh.world();
  c.problem.heads = 3 * mesh.ulysses;
  c.problem.head_dim = 2;
  return c;
}

at::Tensor input(const Collective& collective, const Case& c, int rank) {
  const auto shape = collective.input_shape(c);
  return normal({shape.begin(), shape.end()}, 10 + rank);
}

double element(const at::Tensor& x, const std::array<int64_t, 4>& at) {
  return x.const_data_ptr<double>()[((at[0] * x.size(1) + at[1]) * x.size(2) + at[2]) * x.size(3) +
                                    at[3]];
}

void expect_origins(const Collective& collective, const Case& c, const MeshGroups& groups,
                    const std::vector<at::Tensor>& inputs) {
  const at::Tensor y = collective.apply(inputs[groups.rank], groups).contiguous();
  const auto shape = collective.output_shape(c);
  ASSERT_EQ(y.sizes().vec(), std::vector<int64_t>(shape.begin(), shape.end()));
  for (int64_t i = 0; i < y.numel(); ++i) {
    const int64_t row = i / shape[3], token = row / shape[2];
    const std::array<int64_t, 4> at{token / shape[1], token % shape[1], row % shape[2],
                                    i % shape[3]};
    const Origin origin = collective.origin(c, groups.rank, at);
    ASSERT_EQ(element(y, at), element(inputs[origin.rank], origin.index))
        << collective.name << " rank " << groups.rank << " element " << i;
  }
}

TEST(Catalogue, EveryElementComesFromItsDeclaredOrigin) {
  for (const Collective& collective : built_in_collectives()) {
    for (const Mesh& mesh : {Mesh{1, 1}, Mesh{3, 1}, Mesh{1, 3}, Mesh{2, 2}, Mesh{3, 2}}) {
      const Case c = sized(mesh);
      ASSERT_TRUE(collective.supports(c).ok) << collective.supports(c).reason;
      std::vector<at::Tensor> inputs;
      for (int rank = 0; rank < mesh.world(); ++rank) inputs.push_back(input(collective, c, rank));
      testing::run_on_mesh(
          mesh, [&](const MeshGroups& groups) { expect_origins(collective, c, groups, inputs); });
    }
  }
}

TEST(Catalogue, RefusesWhatTheMeshDoesNotDivide) {
  for (const Collective& collective : built_in_collectives()) {
    Case c = sized({2, 2});
    c.problem.q_len += 1;
    EXPECT_NE(collective.supports(c).reason, "") << collective.name;
    c = sized({2, 2});
    c.mesh.order = MeshOrder::ur;
    EXPECT_NE(collective.supports(c).reason, "") << collective.name;
  }
}

}  // namespace
}  // namespace attncheck

#include "impl/collectives/exchange.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include "impl/collectives/differentiable.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

namespace attncheck {
namespace {

using testing::difference;
using testing::normal;
using testing::run_on_mesh;

// Ranks 0 .. ranks - 1 as one ring, and as one Ulysses group; {0,2,4}, {1,3,5} and their like.
const std::vector<Mesh> kMeshes{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 3}, {3, 2}, {2, 3}};

// (2, 12, 12, 5), distinct on every world rank, with strides that are not those of a fresh tensor.
at::Tensor own(int rank) {
  return normal({2, 12, 12, 5}, 10 + rank).transpose(1, 2);
}

at::Tensor piece(const at::Tensor& x, int64_t dim, int64_t ranks, int64_t rank) {
  const int64_t size = x.size(dim) / ranks;
  return x.narrow(dim, rank * size, size);
}

TEST(Exchange, AllToAllTradesPiecesInTheOrderOfTheRanks) {
  for (const Mesh& mesh : kMeshes) {
    run_on_mesh(mesh, [&](const MeshGroups& groups) {
      const auto members = mesh.ring_members(groups.rank);
      for (const auto& [scatter, gather] : {std::pair{2, 1}, std::pair{1, 2}, std::pair{3, 0}}) {
        if (own(0).size(scatter) % mesh.ring != 0) continue;
        std::vector<at::Tensor> pieces;
        for (int member : members) {
          pieces.push_back(piece(own(member), scatter, mesh.ring, groups.ring_index()));
        }
        const at::Tensor got = all_to_all(own(groups.rank), *groups.ring, scatter, gather);
        EXPECT_EQ(difference(got, at::cat(pieces, gather)), 0.0);
      }
    });
  }
}

TEST(Exchange, AllToAllBackAndForthIsTheInput) {
  run_on_mesh({2, 3}, [](const MeshGroups& groups) {
    const at::Tensor x = own(groups.rank);
    const at::Tensor there = all_to_all(x, *groups.ulysses, 2, 1);
    EXPECT_EQ(difference(all_to_all(there, *groups.ulysses, 1, 2), x), 0.0);
  });
}

TEST(Exchange, AllGatherJoinsInTheOrderOfTheRanks) {
  for (const Mesh& mesh : kMeshes) {
    run_on_mesh(mesh, [&](const MeshGroups& groups) {
      std::vector<at::Tensor> all;
      for (int member : mesh.ulysses_members(groups.rank)) all.push_back(own(member));
      for (int64_t dim = 0; dim < 4; ++dim) {
        const at::Tensor got = all_gather(own(groups.rank), *groups.ulysses, dim);
        EXPECT_EQ(difference(got, at::cat(all, dim)), 0.0);
      }
    });
  }
}

TEST(Exchange, ReduceScatterSumsThePieces) {
  for (const Mesh& mesh : kMeshes) {
    run_on_mesh(mesh, [&](const MeshGroups& groups) {
      std::vector<at::Tensor> pieces;
      for (int member : mesh.ring_members(groups.rank)) {
        pieces.push_back(piece(own(member), 1, mesh.ring, groups.ring_index()));
      }
      const at::Tensor got = reduce_scatter(own(groups.rank), *groups.ring, 1);
      EXPECT_LE(difference(got, at::stack(pieces).sum(0)), 1e-14);
    });
  }
}

TEST(Exchange, ShiftBringsWhatIsThatManyHopsBehind) {
  for (const Mesh& mesh : kMeshes) {
    run_on_mesh(mesh, [&](const MeshGroups& groups) {
      const auto members = mesh.ring_members(groups.rank);
      for (int hops = -5; hops <= 5; ++hops) {
        const int from = ((groups.ring_index() - hops) % mesh.ring + mesh.ring) % mesh.ring;
        const at::Tensor x = own(groups.rank);
        const auto got = shift({x, x + 1.0}, *groups.ring, hops);
        EXPECT_EQ(difference(got[0], own(members[from])), 0.0);
        EXPECT_EQ(difference(got[1], own(members[from]) + 1.0), 0.0);
      }
    });
  }
}

TEST(Exchange, PostedExchangesMayBeWaitedForInAnyOrder) {
  run_on_mesh({3, 1}, [](const MeshGroups& groups) {
    const at::Tensor x = own(groups.rank);
    auto first = post_shift({x}, *groups.ring, 1, 0);
    auto second = post_shift({x}, *groups.ring, 2, 1);
    auto third = post_all_to_all(x, *groups.ring, 2, 1);
    EXPECT_EQ(difference(third.wait(), all_to_all(x, *groups.ring, 2, 1)), 0.0);
    EXPECT_EQ(difference(second.wait()[0], own((groups.rank + 1) % 3)), 0.0);
    EXPECT_EQ(difference(first.wait()[0], own((groups.rank + 2) % 3)), 0.0);
  });
}

TEST(Exchange, RefusesWhatTheRanksDoNotDivide) {
  const auto errors = testing::errors_on_mesh(
      {5, 1}, [](const MeshGroups& groups) { all_to_all(own(groups.rank), *groups.ring, 2, 1); });
  for (const auto& error : errors) {
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("5 ranks do not divide the size 12"), std::string::npos) << *error;
  }
}

using Map = std::function<at::Tensor(const at::Tensor&, const MeshGroups&)>;

// Sum over the ranks of <A x, y> = sum over the ranks of <x, A* y>.
void expect_adjoint(const Mesh& mesh, const Map& map) {
  double forward = 0.0, backward = 0.0;
  run_on_mesh(mesh, [&](const MeshGroups& groups) {
    const at::Tensor x = own(groups.rank).detach().requires_grad_(true);
    const at::Tensor y = map(x, groups);
    const at::Tensor cotangent = normal(y.sizes().vec(), 50 + groups.rank);
    const auto grads = testing::gradients({y}, {x}, {cotangent});
    ASSERT_TRUE(grads[0].defined());
    forward += (y.detach() * cotangent).sum().item<double>();
    backward += (x.detach() * grads[0]).sum().item<double>();
  });
  EXPECT_NEAR(forward, backward, 1e-10);
  EXPECT_NE(forward, 0.0);
}

TEST(Differentiable, BackwardIsTheAdjoint) {
  for (const Mesh& mesh : kMeshes) {
    SCOPED_TRACE(to_text(mesh));
    expect_adjoint(mesh, [](const at::Tensor& x, const MeshGroups& groups) {
      return seq_all_to_all(x, keep(groups.ulysses), 2, 1);
    });
    expect_adjoint(mesh, [](const at::Tensor& x, const MeshGroups& groups) {
      return gather_sequence(x, keep(groups.ring), 1);
    });
    expect_adjoint(mesh, [](const at::Tensor& x, const MeshGroups& groups) {
      return ring_shift(x, keep(groups.ring), 1);
    });
  }
}

TEST(Differentiable, RunsBackwardTwiceOnAKeptGraphAlike) {
  run_on_mesh({2, 1}, [](const MeshGroups& groups) {
    const at::Tensor x = own(groups.rank).detach().requires_grad_(true);
    const at::Tensor loss = ring_shift(x, keep(groups.ring), 1).square().sum();
    loss.backward({}, /*retain_graph=*/true);
    const at::Tensor once = x.grad().clone();
    loss.backward();
    EXPECT_EQ(difference(x.grad(), once + once), 0.0);
  });
}

}  // namespace
}  // namespace attncheck

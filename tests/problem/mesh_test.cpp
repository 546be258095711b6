#include "problem/mesh.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(Mesh, RankIsRingIndexTimesUlyssesDegreePlusUlyssesIndex) {
  const Mesh mesh{2, 3};
  EXPECT_EQ(mesh.rank(1, 2), 5);
  EXPECT_EQ(mesh.ring_index(5), 1);
  EXPECT_EQ(mesh.ulysses_index(5), 2);
  EXPECT_EQ(mesh.ring_members(4), (std::vector<int>{1, 4}));
  EXPECT_EQ(mesh.ulysses_members(4), (std::vector<int>{3, 4, 5}));
}

TEST(Mesh, SwappedOrderKeepsIndicesAndRanksInverse) {
  const Mesh mesh{2, 3, MeshOrder::ur};
  EXPECT_EQ(mesh.rank(1, 2), 5);
  EXPECT_EQ(mesh.rank(1, 0), 1);
  for (int rank = 0; rank < mesh.world(); ++rank) {
    EXPECT_EQ(mesh.rank(mesh.ring_index(rank), mesh.ulysses_index(rank)), rank);
  }
  EXPECT_EQ(mesh.ring_members(4), (std::vector<int>{4, 5}));
}

TEST(Mesh, TextReadsBack) {
  EXPECT_EQ(parse_mesh("12x3"), (Mesh{12, 3}));
  EXPECT_EQ(to_text(Mesh{12, 3}), "12x3");
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  for (const char* text :
       {"", "2", "x", "2x", "x2", "0x2", "2x-1", "2x2x2", "2 x 2", "ax2", "5000x1"}) {
    EXPECT_THROW(parse_mesh(text), std::invalid_argument) << text;
  }
}

TEST(Mesh, FactorisationsCoverTheWorld) {
  EXPECT_EQ(factorisations(6), (std::vector<Mesh>{{6, 1}, {3, 2}, {2, 3}, {1, 6}}));
}

}  // namespace
}  // namespace attncheck

#include "harness/placement.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

TEST(Placement, IsTheWholeWorldInOrder) {
  const Placement placement = placement_of(base_request(parse_case("impl=ring mesh=3x1 q=3 d=1")));
  EXPECT_EQ(placement.world, 3);
  EXPECT_EQ(placement.members, (std::vector<int>{0, 1, 2}));
}

TEST(Placement, OfAnEmbeddedMeshAreTheOddRanksOfTwice) {
  Request request = base_request(parse_case("impl=ring mesh=2x1 q=2 d=1"));
  request.embedded = true;
  EXPECT_EQ(parse_request(to_text(request)), request);
  const Placement placement = placement_of(request);
  EXPECT_EQ(placement.world, 4);
  EXPECT_EQ(placement.members, (std::vector<int>{1, 3}));
  EXPECT_EQ(placement.mesh_rank(3), 1);
  EXPECT_EQ(placement.mesh_rank(2), -1);
}

}  // namespace
}  // namespace attncheck

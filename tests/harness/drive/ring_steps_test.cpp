#include "harness/drive/ring_steps.h"

#include <gtest/gtest.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

using Fate = Contribution::Fate;

Case ring_of(const char* mesh) {
  return parse_case(std::string("impl=subject q=24 d=1 mesh=") + mesh);
}

// Each rank received from these others.
Observation received_from(const std::vector<std::vector<int>>& peers) {
  Observation observation;
  for (const std::vector<int>& of_rank : peers) {
    RankResult result;
    result.trace.emplace();
    for (int peer : of_rank) result.trace->received.push_back({peer, "send", 8, 1});
    observation.ranks.push_back(std::move(result));
  }
  return observation;
}

TEST(RingSteps, GoTheWayThatMessagesWent) {
  const auto onward = ring_steps(ring_of("4x1"), received_from({{3}, {0}, {1}, {2}}));
  ASSERT_TRUE(onward);
  EXPECT_EQ(onward->step(2, 2), 0);
  EXPECT_EQ(onward->step(2, 1), 1);
  EXPECT_EQ(onward->step(0, 1), 3);
  const auto back = ring_steps(ring_of("4x1"), received_from({{1}, {2}, {3}, {0}}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->step(2, 1), 3);
  EXPECT_EQ(back->step(0, 1), 1);
}

TEST(RingSteps, AreThoseOfTheRingInAMeshOfTwoAxes) {
  // Ranks 2 r + u; the exchange of heads within a pair is no step of the ring.
  const auto steps =
      ring_steps(ring_of("3x2"), received_from({{4, 1}, {5, 0}, {0, 3}, {1, 2}, {2, 5}, {3, 4}}));
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->step(2, 0), 1);
  EXPECT_EQ(steps->step(3, 0), 1);
  EXPECT_EQ(steps->step(2, 3), 0);
}

bool are_seen(const char* mesh, const Observation& observation) {
  const auto steps = ring_steps(ring_of(mesh), observation);
  return steps && steps->seen;
}

TEST(RingSteps, AreNotMadeUpWhereMessagesAreThoseOfNoRing) {
  EXPECT_TRUE(are_seen("3x1", received_from({{2}, {0}, {1}})));
  EXPECT_FALSE(are_seen("3x1", received_from({{1, 2}, {0, 2}, {0, 1}})));  // all-gather
  EXPECT_FALSE(are_seen("4x1", received_from({{2}, {3}, {0}, {1}})));
  EXPECT_FALSE(are_seen("3x1", received_from({{2}, {2}, {1}})));  // both sides
  EXPECT_FALSE(are_seen("3x1", received_from({{}, {0}, {1}})));
  Observation unseen = received_from({{2}, {0}, {1}});
  unseen.ranks[1].trace.reset();
  EXPECT_FALSE(are_seen("3x1", unseen));
}

TEST(RingSteps, ArePlacesBackFromTheQueryRankWhereTheyAreNotSeen) {
  const auto steps = ring_steps(ring_of("4x1"), received_from({{}, {}, {}, {}}));
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->step(2, 1), 1);
  EXPECT_EQ(steps->step(0, 1), 3);
  Provenance provenance;
  provenance.dk = ContributionMatrix(4, std::vector<Contribution>(4));
  (*provenance.dk)[3][1].fate = Fate::missing;
  EXPECT_EQ(first_wrong_steps(*steps, provenance),
            "keys are not seen to go round; wrong from so many ring ranks back (0 to 3): dK 2");
}

TEST(RingSteps, AreNoneWhereThereIsNoRing) {
  EXPECT_FALSE(ring_steps(ring_of("1x1"), received_from({{}})));
  EXPECT_FALSE(ring_steps(ring_of("1x2"), received_from({{1}, {0}})));
}

TEST(RingSteps, NameTheFirstWrongOneOfEachMatrix) {
  const RingSteps steps{{4, 1}, true};
  Provenance provenance;
  EXPECT_EQ(first_wrong_steps(steps, provenance), "");
  provenance.out = provenance.dk = provenance.dv =
      ContributionMatrix(4, std::vector<Contribution>(4));
  EXPECT_EQ(first_wrong_steps(steps, provenance), "");
  (*provenance.out)[1][3].fate = Fate::missing;     // step 2
  (*provenance.dk)[0][1] = {Fate::delivered, {2}};  // step 3
  (*provenance.dk)[3][2] = {Fate::delivered, {1}};  // step 1
  (*provenance.dv)[2][0] = {Fate::none, {}};        // no fault
  EXPECT_EQ(first_wrong_steps(steps, provenance),
            "the first wrong step of the ring (0 to 3): out 2, dK 1");
}

}  // namespace
}  // namespace attncheck

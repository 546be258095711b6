#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "tests/impl/problems_testing.h"
#include "tests/mutants/launched_mesh.h"
#include "tests/mutants/mutant_testing.h"

namespace attncheck {
namespace {

using testing::Launch;
using testing::outcome;
using testing::Outcome;

constexpr const char* kWideRing = " rotate=p2p b=2 q=24 kv=12 h=4 hkv=2 d=3 dv=2 causal=1";
constexpr const char* kWide = " b=2 q=24 kv=12 h=8 hkv=4 d=3 dv=2 causal=1";

std::string errors_of(const Outcome& got) {
  std::string all;
  for (const std::string& error : got.errors) all += error.empty() ? "" : error + "\n";
  return all;
}

void expect_right(const Outcome& got) {
  EXPECT_EQ(got.wrong, "");
  EXPECT_EQ(errors_of(got), "");
}

bool is_wrong(const Outcome& got) {
  return !got.wrong.empty() || !errors_of(got).empty();
}

TEST(WorldRankMutants, AreRightWhereTheMeshIsTheWorld) {
  expect_right(outcome("C7", std::string("mesh=3x1") + kWideRing, Launch{}));
  for (const std::string mesh : {"mesh=2x2", "mesh=2x2 rotate=p2p", "mesh=1x4", "mesh=4x1"}) {
    SCOPED_TRACE(mesh);
    expect_right(outcome("C8", mesh + kWide, Launch{}));
  }
}

TEST(WorldRankMutants, AreWrongElsewhereInALargerWorld) {
  const Launch by_one{.first = 1, .more = 1};
  EXPECT_TRUE(is_wrong(outcome("C7", "mesh=2x1 rotate=p2p q=2 h=1 d=1", by_one)));
  EXPECT_TRUE(is_wrong(outcome("C7", "mesh=3x1 rotate=p2p q=3 h=1 d=1", by_one)));
  for (const int first : {1, 2, 3}) {
    const Launch elsewhere{.first = first, .more = 4};
    EXPECT_TRUE(is_wrong(outcome("C8", "mesh=2x2 q=4 h=2 d=1", elsewhere))) << first;
    expect_right(outcome("house_drops_a_wait", std::string("mesh=3x1") + kWideRing, elsewhere));
  }
}

TEST(BlockingSends, AreRightWhereSendsAreBuffered) {
  for (const std::string name : {"C9", "house_sends_twice"}) {
    SCOPED_TRACE(name);
    expect_right(outcome(name, std::string("mesh=3x1") + kWideRing, Launch{}));
  }
}

TEST(BlockingSends, DeadlockWhereASendWaitsForItsReceive) {
  for (const std::string name : {"C9", "house_sends_twice"}) {
    const Outcome got = outcome(testing::mutant(name).smallest, Launch{.send_buffer = 0});
    EXPECT_NE(errors_of(got).find("deadlock"), std::string::npos) << name << errors_of(got);
  }
}

// Calls of C10 one after the other, with so many tokens a rank.
std::string errors_of_calls(const std::vector<int64_t>& lengths) {
  const auto c10 = std::get<Implementation>(testing::mutant("C10").subject);
  const Backend backend = math_backend();
  Outcome got;
  const auto errors =
      testing::errors_on_launched({}, parse_mesh("1x2"), [&](const MeshGroups& groups) {
        for (const int64_t tokens : lengths) {
          AttentionOptions options;
          options.backend = &backend;
          options.q_len = options.kv_len = tokens * groups.mesh.world();
          const at::Tensor x = testing::normal({1, tokens, 2, 1}, 1);
          c10.attention(x, x, x, options, groups);
        }
      });
  for (const auto& error : errors) got.errors.push_back(error.value_or(""));
  return errors_of(got);
}

TEST(CachedSizes, AreRightOnTheFirstCallAndWhereLengthsStay) {
  expect_right(outcome("C10", std::string("mesh=1x2") + kWide, Launch{}));
  expect_right(outcome("C10", "mesh=1x3 q=3 h=3 d=1", Launch{}));
  EXPECT_EQ(errors_of_calls({1, 1, 1}), "");
}

TEST(CachedSizes, LeaveOutARankOnACallWithOtherLengths) {
  for (const std::vector<int64_t>& lengths : {std::vector<int64_t>{1, 2}, {2, 1}}) {
    const std::string errors = errors_of_calls(lengths);
    EXPECT_NE(errors.find("allgather"), std::string::npos) << errors;
  }
}

// A mutant, its smallest case, and a word of what the mesh objects to.
TEST(MismatchedExchanges, AreErrorsAfterAnExactForward) {
  for (const auto& [name, part] :
       {std::tuple{"house_sends_to_a_wrong_peer", "deadlock"},
        std::tuple{"house_splits_wrongly", "alltoall"}, std::tuple{"house_reduces_wrongly", "MAX"},
        std::tuple{"house_skips_a_collective", "barrier"}}) {
    SCOPED_TRACE(name);
    const Outcome got = outcome(testing::mutant(name).smallest, Launch{});
    EXPECT_EQ(got.wrong, "");
    EXPECT_NE(errors_of(got).find(part), std::string::npos) << errors_of(got);
  }
}

TEST(MismatchedExchanges, AMessageWithAnotherTagIsAwaitedInVain) {
  const Outcome got = outcome(testing::mutant("house_swaps_a_tag").smallest, Launch{});
  EXPECT_NE(errors_of(got).find("deadlock"), std::string::npos) << errors_of(got);
}

}  // namespace
}  // namespace attncheck

#include "tests/gloo_cpu/left_behind.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "gloo_cpu/child_process.h"
#include "gloo_cpu/rank_set.h"
#include "tests/gloo_cpu/test_support.h"

namespace attncheck::gloo_cpu {
namespace {

constexpr std::chrono::seconds kTimeToDie{20};  // on a busy machine, of what was killed

// Whether so many are there, now or soon.
bool there_are(int count) {
  const auto give_up = std::chrono::steady_clock::now() + kTimeToDie;
  while (processes_left() != count) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(LeftBehind, EndsWithASetThatEndsInOrder) {
  {
    RankSet ranks(options_for(2));
    for (const RankReply& reply : ranks.run("fork")) {
      EXPECT_EQ(reply.outcome, RankReply::Outcome::answered);
    }
    EXPECT_TRUE(there_are(2));
  }
  EXPECT_TRUE(there_are(0));
}

TEST(LeftBehind, EndsWithARankThatDies) {
  RankSet ranks(options_for(2, std::chrono::seconds(20)));
  EXPECT_EQ(ranks.run("fork_and_die 1")[1].outcome, RankReply::Outcome::signalled);
  EXPECT_TRUE(there_are(0));
}

// In a process of its own, since adopting is for good.
TEST(LeftBehindDeathTest, EndsInASessionOfItsOwnWhenOrphansAreAdopted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    adopt_orphans();
    RankSet(options_for(2)).run("fork away");
    const bool left = there_are(2);
    end_orphans();
    std::exit(left && there_are(0) && ::waitpid(-1, nullptr, WNOHANG) == -1 ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace attncheck::gloo_cpu

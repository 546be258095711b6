#include "harness/own_threads.h"

#include <chrono>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace attncheck {
namespace {

TEST(OwnThreads, CountsThoseThatStayAndNoneThatEnd) {
  const OwnThreads threads;
  EXPECT_EQ(threads.left(), 0);
  std::promise<void> end;
  std::thread stays([waits = end.get_future()] { waits.wait(); });
  EXPECT_EQ(threads.left(), 1);
  EXPECT_EQ(OwnThreads().left(), 0);
  end.set_value();
  stays.join();
  EXPECT_EQ(threads.left(), 0);
}

TEST(OwnThreads, GivesThoseThatAreAboutToEndAMoment) {
  const OwnThreads threads;
  std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }).detach();
  EXPECT_EQ(threads.left(), 0);
}

TEST(OwnThreads, AreFactsWhereSomeAreLeft) {
  RankResult none, some;
  note_threads_left(0, none);
  EXPECT_TRUE(none.facts.empty());
  note_threads_left(2, some);
  EXPECT_EQ(some.facts.at("threads_left"), "2");
  EXPECT_EQ(some.facts.count("process"), 1u);
}

}  // namespace
}  // namespace attncheck

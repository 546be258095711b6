#include "harness/timing/stopwatch.h"

#include <thread>

#include <gtest/gtest.h>

namespace attncheck::timing {
namespace {

TEST(Stopwatch, HasALapLessThanItHasMarks) {
  Stopwatch watch(c10::kCPU);
  EXPECT_TRUE(watch.laps().empty());
  watch.mark();
  EXPECT_TRUE(watch.laps().empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  watch.mark();
  watch.mark();
  const std::vector<double> laps = watch.laps();
  ASSERT_EQ(laps.size(), 2u);
  EXPECT_GE(laps[0], 0.005);  // a sleep is never shorter
  EXPECT_GE(laps[1], 0);
}

}  // namespace
}  // namespace attncheck::timing

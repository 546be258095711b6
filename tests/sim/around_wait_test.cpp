#include "sim/around_wait.h"

#include <functional>
#include <mutex>

#include "tests/sim/sim_testing.h"

namespace attncheck::sim::testing {
namespace {

// As ranks that run in an interpreter hold its lock.
TEST(World, LetsARankGiveALockAwayWhileItWaits) {
  std::mutex lock;
  int waits = 0;
  const AroundWait around = [&](const std::function<void()>& wait) {
    ++waits;
    lock.unlock();
    wait();
    lock.lock();
  };
  World world(3);
  const auto work = [&](RankContext& context) {
    const std::scoped_lock held(lock);
    const auto exchange = context.group(everyone(3))->barrier();
    while (!exchange->isCompleted()) {
    }
    context.group(everyone(3))->barrier()->wait();
  };
  expect_no_errors(world.run(work, {.around_wait = &around}));
  EXPECT_GE(waits, 4);  // two of three ranks in each of two exchanges
  waits = 0;
  run_ranks(3, [](RankContext& context) { context.group(everyone(3))->barrier()->wait(); });
  EXPECT_EQ(waits, 0);
}

}  // namespace
}  // namespace attncheck::sim::testing

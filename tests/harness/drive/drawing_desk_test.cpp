#include "harness/drive/drawing_desk.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/harness/drive/planted_mutants.h"

namespace attncheck {
namespace {

TEST(DrawingDesk, DrawsOnItsOwnThreadWhereverAJobAsks) {
  for (const size_t count : {1u, 3u}) {
    Lanes lanes(oracle_lanes(count));
    DrawingDesk desk;
    std::atomic<int> drawn = 0, elsewhere = 0;
    const auto ask = [&](LaneLab&) {
      for (int i = 0; i < 20; ++i) {
        std::thread::id drew;
        desk.run([&drew] { drew = std::this_thread::get_id(); });
        ++(drew == std::this_thread::get_id() ? drawn : elsewhere);
      }
    };
    const std::thread::id here = std::this_thread::get_id();
    std::thread::id of_desk;
    desk.run_jobs(lanes, {ask, ask, ask, [&](LaneLab&) {
                            desk.run([&of_desk] { of_desk = std::this_thread::get_id(); });
                          }});
    EXPECT_EQ(of_desk, here);
    EXPECT_EQ(drawn + elsewhere, 60);
    EXPECT_EQ(elsewhere, count == 1 ? 0 : 60);
  }
}

TEST(DrawingDesk, GivesAnExceptionToTheJobThatAsked) {
  Lanes lanes(oracle_lanes(2));
  DrawingDesk desk;
  std::atomic<int> caught = 0;
  const auto ask = [&](LaneLab&) {
    try {
      desk.run([] { throw std::runtime_error("none"); });
    } catch (const std::runtime_error&) {
      ++caught;
    }
  };
  desk.run_jobs(lanes, {ask, ask});
  EXPECT_EQ(caught, 2);
}

TEST(DrawingDesk, BeginsNoJobOnceOneHasThrown) {
  Lanes lanes(oracle_lanes(1));
  DrawingDesk desk;
  int begun = 0;
  const auto fails = [&](LaneLab&) {
    ++begun;
    throw std::runtime_error("no ranks");
  };
  EXPECT_THROW(desk.run_jobs(lanes, {fails, fails, fails}), std::runtime_error);
  EXPECT_EQ(begun, 1);
  desk.run_jobs(lanes, {[&](LaneLab&) { ++begun; }});
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace attncheck

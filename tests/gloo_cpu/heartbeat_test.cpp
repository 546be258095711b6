#include "gloo_cpu/heartbeat.h"

#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

namespace attncheck::gloo_cpu {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlow{3'000};  // three beats

// The first one that is lost within that time.
std::optional<int> lost_within(Heartbeats& beats, milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::optional<int> lost;
  while (!lost && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(20));
    lost = beats.lost();
  }
  return lost;
}

TEST(Heartbeats, NameWhoStopsBeating) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  Heartbeats beats(store, 3, kSlow);
  const Heartbeat first(store, 1);
  {
    const Heartbeat second(store, 2);
    EXPECT_EQ(lost_within(beats, kSlow + milliseconds(500)), std::nullopt);
  }
  EXPECT_EQ(lost_within(beats, 3 * kSlow), 2);
  EXPECT_EQ(beats.lost(), 2);
}

TEST(Heartbeats, MissNobodyWhileNobodyLooked) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  Heartbeats beats(store, 2, milliseconds(100));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(beats.lost(), std::nullopt);
}

}  // namespace
}  // namespace attncheck::gloo_cpu

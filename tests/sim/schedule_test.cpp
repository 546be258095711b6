#include "sim/schedule.h"

#include <gtest/gtest.h>

#include "sim/buffer_pool.h"
#include "sim/members.h"

namespace attncheck::sim {
namespace {

ReadySet ready_set(int size, const std::vector<int>& ranks) {
  ReadySet ready(size);
  for (int rank : ranks) ready.insert(rank);
  return ready;
}

TEST(ReadySet, GoesAround) {
  const ReadySet ready = ready_set(256, {3, 63, 64, 255});
  EXPECT_EQ(ready.count(), 4);
  EXPECT_EQ(ready.next_after(-1), 3);
  EXPECT_EQ(ready.next_after(3), 63);
  EXPECT_EQ(ready.next_after(63), 64);
  EXPECT_EQ(ready.next_after(64), 255);
  EXPECT_EQ(ready.next_after(255), 3);
  EXPECT_EQ(ready.nth(0), 3);
  EXPECT_EQ(ready.nth(2), 64);
  EXPECT_EQ(ready.nth(3), 255);
}

TEST(ReadySet, FindsTheOnlyMemberFromItself) {
  for (int size : {1, 64, 65, 200}) {
    const ReadySet ready = ready_set(size, {size - 1});
    EXPECT_EQ(ready.next_after(size - 1), size - 1);
    EXPECT_EQ(ready.next_after(0), size - 1);
  }
}

TEST(ReadySet, IsEmptyAfterTheLastIsErased) {
  ReadySet ready = ready_set(70, {69});
  ready.erase(69);
  EXPECT_TRUE(ready.empty());
  EXPECT_FALSE(ready.contains(69));
  EXPECT_EQ(ready.next_after(0), -1);
}

TEST(RoundRobin, PicksTheNextAfterTheLast) {
  RoundRobin schedule;
  EXPECT_EQ(schedule.pick(ready_set(4, {0, 2}), 0), 2);
  EXPECT_EQ(schedule.pick(ready_set(4, {0, 2}), 2), 0);
  EXPECT_EQ(schedule.pick(ready_set(4, {0, 2}), 3), 0);
}

TEST(Members, AreListedWithRangesOfThreeAndMore) {
  EXPECT_EQ(list_ranks({0, 1}), "0,1");
  EXPECT_EQ(list_ranks({0, 1, 2}), "0..2");
  EXPECT_EQ(list_ranks({3, 1}), "3,1");
  EXPECT_EQ(list_ranks({9, 4, 5, 6, 2, 3}), "9,4..6,2,3");
  EXPECT_EQ((Members{{0, 2}, "ring"}.text()), "group ring [0,2]");
}

TEST(BufferPool, LendsTheSameBytesAgain) {
  const auto pool = std::make_shared<BufferPool>();
  std::byte* first = nullptr;
  {
    const Buffer lent = pool->take(1000);
    first = lent.data();
    EXPECT_NE(pool->take(1000).data(), first);
  }
  EXPECT_EQ(pool->take(1024).data(), first);
}

TEST(BufferPool, OutlivesItsOwnerWhileSomethingIsLent) {
  auto pool = std::make_shared<BufferPool>();
  Buffer lent = pool->take(8);
  pool.reset();
  lent.data()[7] = std::byte{1};
  EXPECT_EQ(lent.data()[7], std::byte{1});
}

}  // namespace
}  // namespace attncheck::sim

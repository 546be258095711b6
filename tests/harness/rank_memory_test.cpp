#include "harness/rank_memory.h"

#include <thread>

#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

constexpr int64_t kBytes = 1000;

at::Tensor bytes(int64_t count) {
  return at::empty({count}, at::kByte);
}

TEST(MemoryMeter, TellsTheMostThatWasHeldAtATime) {
  const MemoryMeter meter(true);
  bytes(3 * kBytes);
  const at::Tensor a = bytes(kBytes), b = bytes(kBytes);
  EXPECT_EQ(meter.peak_bytes(), 3 * kBytes);
  const at::Tensor c = bytes(2 * kBytes);
  EXPECT_EQ(meter.peak_bytes(), 4 * kBytes);
}

TEST(MemoryMeter, CountsWhatAnotherThreadFrees) {
  const MemoryMeter meter(true);
  at::Tensor a = bytes(kBytes);
  std::thread([&a] { a.reset(); }).join();
  const at::Tensor b = bytes(kBytes);
  EXPECT_EQ(meter.peak_bytes(), kBytes);
}

TEST(MemoryMeter, LeavesOtherThreadsAlone) {
  const MemoryMeter meter(true);
  std::thread([] { bytes(kBytes); }).join();
  EXPECT_EQ(meter.peak_bytes(), 0);
}

// LibTorch's half-precision kernels free their scratch memory by its address.
TEST(MemoryMeter, CountsMemoryThatIsFreedByItsAddress) {
  const MemoryMeter meter(true);
  c10::Allocator* const allocator = c10::GetCPUAllocator();
  for (int i = 0; i < 2; ++i) allocator->raw_deallocate(allocator->raw_allocate(kBytes));
  EXPECT_EQ(meter.peak_bytes(), kBytes);
}

TEST(MemoryMeter, IsSilentUnlessItIsWanted) {
  const MemoryMeter meter(false);
  bytes(kBytes);
  EXPECT_FALSE(meter.peak_bytes().has_value());
}

TEST(MemoryMeter, MayEndBeforeWhatItCounted) {
  at::Tensor kept;
  {
    const MemoryMeter meter(true);
    kept = bytes(kBytes);
  }
  const MemoryMeter next(true);
  kept.reset();
  EXPECT_EQ(next.peak_bytes(), 0);
}

TEST(PoisonScope, FillsFreshMemoryOfItsThread) {
  const PoisonScope poison(0x5A);
  const at::Tensor a = bytes(kBytes);
  EXPECT_EQ(a.min().item<int64_t>(), 0x5A);
  EXPECT_EQ(a.max().item<int64_t>(), 0x5A);
}

}  // namespace
}  // namespace attncheck

#include <algorithm>
#include <memory>

#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

#include "reference/evaluation.h"

namespace attncheck::reference {
namespace {

/// Hears of every allocation of LibTorch on this thread. Bytes.
class AllocationMeter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t size, size_t, size_t, c10::Device) override {
    held_ += size;
    peak_ = std::max(peak_, held_);
    largest_ = std::max(largest_, size);
  }
  bool memoryProfilingEnabled() const override { return true; }

  int64_t peak() const { return peak_; }
  int64_t largest() const { return largest_; }

 private:
  int64_t held_ = 0, peak_ = 0, largest_ = 0;
};

TEST(Memory, IsBoundedByTheRowBlock) {
  constexpr int64_t kLength = 2048, kHeads = 2, kDim = 8, kRows = 64;
  Inputs in;
  in.q = at::randn({1, kLength, kHeads, kDim}, at::kDouble);
  in.k = at::randn({1, kLength, kHeads, kDim}, at::kDouble);
  in.v = at::randn({1, kLength, kHeads, kDim}, at::kDouble);
  in.row_block = kRows;
  in.diagonal = 0;
  for (int64_t t = 0; t < kLength; ++t) {
    in.q_positions.push_back(t);
    in.kv_positions.push_back(t);
  }
  const at::Tensor dout = at::randn_like(in.q);
  const auto meter = std::make_shared<AllocationMeter>();
  {
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, meter);
    evaluate(in, dout, {}, BoundContext{});
  }
  constexpr int64_t kBlockBytes = kHeads * kRows * kLength * 8;
  EXPECT_EQ(meter->largest(), kBlockBytes);
  EXPECT_LT(meter->peak(), 8 * kBlockBytes);
}

}  // namespace
}  // namespace attncheck::reference

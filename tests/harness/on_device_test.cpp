#include "harness/on_device.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

namespace attncheck {
namespace {

at::Tensor numbers() {
  return at::arange(60, at::kDouble);
}

TEST(OnDevice, LeavesWhatIsThereAlone) {
  const at::Tensor x = numbers();
  EXPECT_TRUE(on_device(x, at::kCPU).is_same(x));
  EXPECT_FALSE(on_device(at::Tensor(), at::kCPU).defined());
}

// A device without memory shows where everything would go.
TEST(OnDevice, AViewStaysTheViewThatItWas) {
  for (const at::Tensor& x :
       {numbers().narrow(0, 7, 24).view({2, 3, 4}).transpose(1, 2),
        numbers().narrow(0, 3, 2).view({2, 1}).expand({2, 5}), numbers().slice(0, 1, 60, 7)}) {
    const at::Tensor there = on_device(x, at::kMeta);
    EXPECT_EQ(there.device().type(), at::kMeta);
    EXPECT_EQ(there.sizes(), x.sizes());
    EXPECT_EQ(there.strides(), x.strides());
    EXPECT_EQ(there.storage_offset(), x.storage_offset());
    EXPECT_EQ(there.storage().nbytes(), x.storage().nbytes());
  }
}

TEST(OnDevice, WhatTheDeviceDoesNotGiveBackIsDropped) {
  RankResult result;
  result.tensors["out"] = numbers();
  result.tensors["lse"] = on_device(numbers(), at::kMeta);
  bring_home_what_can_be(result);
  EXPECT_TRUE(result.tensors.contains("out"));
  EXPECT_FALSE(result.tensors.contains("lse"));
}

}  // namespace
}  // namespace attncheck

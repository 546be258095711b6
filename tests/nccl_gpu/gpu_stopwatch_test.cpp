#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <c10/cuda/CUDAFunctions.h>
#include <gtest/gtest.h>

#include "harness/timing/stopwatch.h"

namespace attncheck::timing {
namespace {

// The host is far ahead of the device when it makes the second mark.
TEST(GpuStopwatch, TimesWhatTheDeviceDoes) {
  if (c10::cuda::device_count() == 0) GTEST_SKIP() << "not_run: no CUDA device";
  const c10::Device device(c10::kCUDA, 0);
  const at::Tensor x = at::ones({2048, 2048}, at::TensorOptions(device));
  Stopwatch once(device), often(device);
  at::matmul(x, x);
  once.mark();
  at::matmul(x, x);
  once.mark();
  often.mark();
  for (int i = 0; i < 50; ++i) at::matmul(x, x);
  often.mark();
  EXPECT_GT(once.laps().at(0), 0);
  EXPECT_GT(often.laps().at(0), once.laps().at(0));
}

}  // namespace
}  // namespace attncheck::timing

#include "harness/gpu_library.h"

#include <filesystem>
#include <stdexcept>

#include <ATen/detail/CUDAHooksInterface.h>
#include <gtest/gtest.h>

#include "impl/backends/cuda_device.h"

namespace attncheck {
namespace {

// A program asks for devices while it lists its backends, and a rank opens the library later on.
TEST(GpuLibrary, BringsCudaToAProcessThatAskedForADeviceBefore) {
  (void)cuda_device();
  try {
    open_gpu_library();
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).find("this build has none") == std::string::npos) throw;
    GTEST_SKIP() << "not_run: this build has no library for CUDA tensors";
  }
  EXPECT_TRUE(at::detail::getCUDAHooks().compiledWithCuDNN());
}

TEST(GpuLibrary, IsNotLoadedWhereThereIsNoGpu) {
  if (count_gpus().gpus > 0) GTEST_SKIP() << "not_run: there is a CUDA device";
  const Support loaded = load_cuda();
  EXPECT_FALSE(loaded.ok);
  EXPECT_EQ(loaded.reason, "no CUDA device here: " + count_gpus().why_none);
}

}  // namespace
}  // namespace attncheck

#include "impl/backends/cuda_device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>

namespace attncheck {
namespace {

// cudaDevAttrComputeCapabilityMajor and ...Minor of the runtime's cudaDeviceAttr.
constexpr int kMajor = 75, kMinor = 76;

using GetDevice = int (*)(int* device);
using GetAttribute = int (*)(int* value, int attribute, int device);

template <typename Function>
Function runtime_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

// 0 where the runtime does not tell.
int sm_of_current_device() {
  const auto current = runtime_function<GetDevice>("cudaGetDevice");
  const auto attribute = runtime_function<GetAttribute>("cudaDeviceGetAttribute");
  int device = 0, major = 0, minor = 0;
  if (current == nullptr || attribute == nullptr || current(&device) != 0) return 0;
  if (attribute(&major, kMajor, device) != 0 || attribute(&minor, kMinor, device) != 0) return 0;
  return 10 * major + minor;
}

}  // namespace

CudaDevice cuda_device() {
  if (!c10::impl::hasDeviceGuardImpl(c10::kCUDA)) return {Support::no("no CUDA device here"), 0};
  const auto& hooks = at::detail::getCUDAHooks();
  if (!hooks.hasCUDA() || hooks.getNumGPUs() == 0) {
    return {Support::no("no CUDA device here"), 0};
  }
  const int sm = sm_of_current_device();
  if (sm == 0) return {Support::no("the CUDA runtime does not tell the device's SM version"), 0};
  return {Support::yes(), sm};
}

}  // namespace attncheck

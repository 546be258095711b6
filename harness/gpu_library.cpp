#include "harness/gpu_library.h"

#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>

namespace attncheck {
namespace {

constexpr const char* kLibrary = "libattncheck_nccl_gpu.so";

// In the folder of the library that this function is in.
std::filesystem::path library_path() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<void*>(&count_gpus), &self) == 0) return kLibrary;
  return std::filesystem::path(self.dli_fname).parent_path() / kLibrary;
}

[[noreturn]] void no_library(const std::string& why) {
  throw std::runtime_error("CUDA tensors need " + std::string(kLibrary) + ": " + why +
                           "; the preset cuda builds it (ATTNCHECK_PRESET=cuda ci/build)");
}

std::string last_loader_error() {
  const char* error = ::dlerror();
  return error == nullptr ? "no reason given" : error;
}

GpuLibrary load() {
  const std::filesystem::path path = library_path();
  if (!std::filesystem::exists(path)) no_library("this build has none");
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) no_library(last_loader_error());
  using Maker = decltype(GpuLibrary::make_groups);
  const auto make = reinterpret_cast<Maker>(::dlsym(library, "attncheck_make_gpu_groups"));
  if (make == nullptr) no_library(last_loader_error());
  return {make};
}

// Functions of the driver's interface, which has not changed them since its beginning.
GpuCount count_by(void* driver) {
  const auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDeviceGetCount"));
  if (init == nullptr || count == nullptr) return {0, "libcuda.so.1 is no driver of NVIDIA's"};
  if (const int error = init(0); error != 0) {
    return {0, "the driver does not start, CUresult " + std::to_string(error)};
  }
  GpuCount found;
  const int error = count(&found.gpus);
  if (error != 0 || found.gpus == 0) found = {0, "the driver sees no GPU"};
  return found;
}

}  // namespace

const GpuLibrary& open_gpu_library() {
  static const GpuLibrary library = load();
  return library;
}

GpuCount count_gpus() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return {0, "no libcuda.so.1, NVIDIA's driver, on this machine"};
  return count_by(driver);
}

void require_gpus() {
  const GpuCount found = count_gpus();
  if (found.gpus == 0) throw std::runtime_error("no CUDA device: " + found.why_none);
  if (!std::filesystem::exists(library_path())) no_library("this build has none");
}

Support load_cuda() {
  const GpuCount found = count_gpus();
  if (found.gpus == 0) return Support::no("no CUDA device here: " + found.why_none);
  try {
    open_gpu_library();
  } catch (const std::runtime_error& error) {
    return Support::no(error.what());
  }
  return Support::yes();
}

}  // namespace attncheck

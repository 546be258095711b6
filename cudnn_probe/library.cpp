#include "cudnn_probe/library.h"

#include <cstdlib>
#include <vector>

#include <dlfcn.h>

namespace attncheck {
namespace {

// The first of the files that opens; the loader's last words otherwise.
void* open_first(const std::vector<std::string>& files, std::string* why = nullptr) {
  for (const std::string& file : files) {
    if (file.empty()) continue;
    if (void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    if (const char* error = ::dlerror(); error != nullptr && why != nullptr) *why = error;
  }
  return nullptr;
}

std::vector<std::string> cudnn_files() {
  if (const char* own = std::getenv("ATTNCHECK_CUDNN"); own != nullptr && *own != '\0') {
    return {own};
  }
  return {ATTNCHECK_CUDNN_LIBRARY, "libcudnn.so.9"};
}

CudnnLibrary open_library() {
  CudnnLibrary library;
  open_first({"libcuda.so.1", ATTNCHECK_CUDA_STUB});
  open_first({ATTNCHECK_NVRTC_LIBRARY});
  std::string why;
  library.handle = open_first(cudnn_files(), &why);
  if (library.handle == nullptr) {
    library.opened = Support::no("no cuDNN here: " + why);
    return library;
  }
  using Version = size_t (*)();
  const auto version = reinterpret_cast<Version>(::dlsym(library.handle, "cudnnGetVersion"));
  library.version = version == nullptr ? 0 : version();
  if (library.version < 90800) {
    library.opened = Support::no("cuDNN " + std::to_string(library.version) +
                                 " cannot be asked without a GPU: 9.8 or later can");
  }
  return library;
}

}  // namespace

const CudnnLibrary& cudnn_library() {
  static const CudnnLibrary library = open_library();
  return library;
}

}  // namespace attncheck

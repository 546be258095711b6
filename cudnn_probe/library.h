#pragma once

#include <string>

#include "impl/contract/support.h"

namespace attncheck {

// cuDNN's library, opened once for the process: the file that the variable ATTNCHECK_CUDNN names,
// the one that was found when this was configured, or any that the loader finds. Before it come
// what cuDNN opens by itself: NVRTC, kept open since opening it anew for every engine takes most of
// a question's time, and the driver, libcuda.so.1, or the toolkit's stub for it on a machine
// without one.
struct CudnnLibrary {
  Support opened;  // no: the loader's words
  void* handle = nullptr;
  size_t version = 0;  // 91900
};

const CudnnLibrary& cudnn_library();

}  // namespace attncheck

#pragma once

#include "impl/contract/support.h"

namespace attncheck {

// The GPU that the CUDA backends compute on: the current device of the calling thread.
struct CudaDevice {
  Support here;  // no: this machine has none, or this program LibTorch's CPU half alone
  int sm = 0;    // 90: SM 9.0
};

// Needs nothing of CUDA to be linked: LibTorch's hooks tell whether its CUDA half is there, and the
// runtime that it brought is asked for the SM version. LibTorch makes the hooks when they are first
// asked for, and they stay: in a process that asked before its CUDA half was loaded there is no
// CUDA ever after. So nothing is asked of them until its device guard says that it is loaded.
CudaDevice cuda_device();

}  // namespace attncheck

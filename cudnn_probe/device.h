#pragma once

#include <string>
#include <vector>

namespace attncheck {

// What cuDNN looks at of a GPU, for one device of each SM version (NVIDIA's CUDA programming guide,
// "Technical Specifications per Compute Capability", and the product's data sheet).
struct CudnnDevice {
  int sm;                // 90: SM 9.0
  const char* name;      // the product
  int sm_count;          // its multiprocessors
  int shared_memory;     // bytes of a block, at most
  int threads;           // of a multiprocessor
  int blocks;            // of a multiprocessor
  long long l2, memory;  // bytes
};

const std::vector<CudnnDevice>& cudnn_device_table();

// As the text that CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR reads: JSON with exactly its members.
std::string device_text(const CudnnDevice& device);

}  // namespace attncheck

#pragma once

#include <memory>
#include <string>

#include "impl/contract/support.h"

namespace attncheck::gloo_cpu {
class GroupMaker;
struct RankPlace;
}  // namespace attncheck::gloo_cpu

namespace attncheck {

// What all that needs LibTorch's CUDA half is behind: a library of its own (nccl_gpu/), opened when
// it is asked for, since it costs 0.15 s and 355 MB at start.
struct GpuLibrary {
  std::unique_ptr<gloo_cpu::GroupMaker> (*make_groups)(const gloo_cpu::RankPlace& place);
};

// The library beside this one, opened once. Throws where this build has none, or where it does not
// load, with the loader's words.
const GpuLibrary& open_gpu_library();

// The GPUs of this machine, as the driver counts them; it needs no library of ours.
struct GpuCount {
  int gpus = 0;
  std::string why_none;  // "no libcuda.so.1, NVIDIA's driver, on this machine"
};
GpuCount count_gpus();

// Throws unless there is a GPU and the library: "no CUDA device: ...".
void require_gpus();

// LibTorch's CUDA half in this process, so that backends of CUDA run in it: opens the library where
// there is a GPU. No: why it is not there.
Support load_cuda();

}  // namespace attncheck

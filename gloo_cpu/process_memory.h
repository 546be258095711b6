#pragma once

#include <cstdint>

#include <sys/types.h>

namespace attncheck::gloo_cpu {

// Bytes of memory that a process holds for itself: what it wrote to, in memory or swapped out,
// without the files that it maps (LibTorch's code). 0 for a process that is gone.
int64_t memory_of(pid_t pid);

// Bytes of memory of this machine, or what this process's control group may have of them.
int64_t machine_memory();

}  // namespace attncheck::gloo_cpu

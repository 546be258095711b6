#pragma once

#include <memory>

#include "gloo_cpu/group_maker.h"

namespace attncheck::gloo_cpu {
struct RankPlace;
}

namespace attncheck::nccl_gpu {

// Which of this machine's GPUs a rank has: the ranks of the machine are dealt to them in order, one
// each where there are enough. Ranks of a world that is twice as large as the GPUs are many share
// them two by two, so that every second rank still has one of its own.
int gpu_index(const gloo_cpu::RankPlace& place, int gpus);

// The groups of a rank whose tensors are on its GPU: over NCCL, or over Gloo by way of CPU memory,
// as the place says. Throws where there is no GPU. A collective over NCCL that does not end within
// the group's timeout ends the process: its watchdog aborts, with its words in the log.
std::unique_ptr<gloo_cpu::GroupMaker> make_gpu_groups(const gloo_cpu::RankPlace& place);

}  // namespace attncheck::nccl_gpu

// What the program looks for in the opened library (harness/gpu_library.h).
extern "C" std::unique_ptr<attncheck::gloo_cpu::GroupMaker> attncheck_make_gpu_groups(
    const attncheck::gloo_cpu::RankPlace& place);

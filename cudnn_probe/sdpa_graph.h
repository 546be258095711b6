#pragma once

#include "cudnn_probe/cudnn_probe.h"
#include "cudnn_probe/device.h"
#include "cudnn_probe/sdpa_call.h"

namespace attncheck {

// Builds the graph of the call's forward, or of its backward, as far as that goes without a GPU:
// validate, build the operation graph, ask the heuristics for engines, check that one supports it.
// `stats_shape` is set as soon as cuDNN has inferred it. Whatever cuDNN or its frontend says or
// throws is in the answer.
CudnnPass ask_forward(const SdpaCall& call, const CudnnDevice& device,
                      std::vector<int64_t>& stats_shape);
CudnnPass ask_backward(const SdpaCall& call, const CudnnDevice& device);

}  // namespace attncheck

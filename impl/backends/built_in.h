#pragma once

#include <string>
#include <vector>

#include "impl/contract/backend.h"
#include "impl/contract/backend_family.h"

namespace attncheck {

// "math", "flash_cpu", "native", "auto".
std::vector<Backend> built_in_backends();

// "cudnn_emulated", by release of LibTorch.
std::vector<BackendFamily> built_in_backend_families();

// LibTorch's kernels on a CUDA device: "cudnn", "flash_cuda", "efficient_cuda". They are built in
// everywhere; where there is no such device their supports() says so, whatever the problem.
std::vector<Backend> cuda_backends();

// Those of built_in_backends() that return a log-sum-exp and support the problem of a block: what
// to use instead of a backend that returns none. "math, flash_cpu or auto".
std::string backends_with_lse(const Problem& block);

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "impl/sharding/hooked_module.h"

namespace attncheck {

// Values by place: an element is a hash of (seed, name, index in the row-major tensor), the same on
// every rank, mesh and transport. It is a multiple of 1/32 in [-1.5, 1.5] times `factor`, a power
// of two: exact in every dtype, so that runs in two dtypes compute with the same numbers.
at::Tensor drawn(uint64_t seed, const std::string& name, at::IntArrayRef sizes,
                 at::ScalarType dtype, double factor = 1.0);

// Whole numbers from 0 to count - 1, as int64.
at::Tensor drawn_ids(uint64_t seed, const std::string& name, at::IntArrayRef sizes, int64_t count);

// Fills every parameter below the module by its full name: matrices with the power of two next to
// 1 / sqrt(columns) as their factor, vectors around one.
void draw_parameters(torch::nn::Module& module, uint64_t seed);

}  // namespace attncheck

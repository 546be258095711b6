#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/drive/provenance.h"

namespace attncheck {

// The largest absolute value; 0 of a tensor without elements.
double largest(const at::Tensor& tensor);

// One row of a matrix: where the contributions of one query rank to every key shard ended up.
// `got`: what every rank has for its own shard. `terms`: what is expected for each shard. Same
// shapes by shard.
std::vector<Contribution> trace_row(const std::vector<at::Tensor>& got,
                                    std::vector<at::Tensor> terms, double bound);

}  // namespace attncheck

#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/drive/provenance.h"

namespace attncheck {

// What the keys of each rank add to dq, (B, Sq, H, D) by rank of the keys; all together are the
// dq that is expected. The request's dlse is absent.
std::vector<at::Tensor> query_parts(const Case& c, const Expected& expected);

// One row of dQ's matrix: which of the parts one rank's dq has, by key shard. Parts of the same
// shape as got.
std::vector<Contribution> parts_in(const at::Tensor& got, const std::vector<at::Tensor>& parts,
                                   double bound);

}  // namespace attncheck

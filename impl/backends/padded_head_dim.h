#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck {

// x (B, S, H, D) with zeros behind its components, up to the next multiple.
at::Tensor with_padded_head_dim(const at::Tensor& x, int64_t multiple);

// The block with q, k and v so padded, and what backward is given with out and grad_out as well.
// Scores stay, since zeros add nothing to q.k; the scale is the block's own, that of the head_dim
// before it was padded.
BackendInputs with_padded_head_dim(const BackendInputs& block, int64_t multiple);
BackendBackward with_padded_head_dim(const BackendBackward& call, int64_t multiple);

// A backend for any head_dim, of one whose kernel wants a multiple: it pads what it is given, and
// returns the leading components of out and of the gradients alone. It supports what `inner` does
// of the padded sizes, and returns the kernel's own values, which are padded.
Backend padded_head_dim(Backend inner, int64_t multiple);

}  // namespace attncheck

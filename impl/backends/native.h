#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// "native": at::scaled_dot_product_attention, LibTorch's own choice of a kernel, as a user calls
// it. It returns no log-sum-exp, so that nothing can be merged: for return_lse=0 on one rank or a
// mesh 1xU. Its backward is autograd's: it computes the block again, with a graph, and
// differentiates that, so that no graph lies between forward and backward. What is unlike the
// contract in that op is made like it:
// - grouped heads are expanded (its flash kernel reads out of bounds up to 2.8);
// - diagonals other than 0 and boolean masks become additive masks in q's dtype;
// - rows that see no key are shown all keys and get no cotangent: kernels disagree on such rows.
// `backward` throws when it is given a grad_lse.
Backend native_backend();

}  // namespace attncheck

#pragma once

#include "impl/contract/backend.h"

namespace attncheck {

// The backward of a kernel that takes no grad_lse, for a call that has one. It gets it by one more
// column, v: 1, grad_out: grad_lse, out: 0, which adds grad_lse to dout.v and nothing to
// rowsum(dout o out); more columns of zeros make the head_dim the kernel's multiple. Where that of
// v has to be that of q and k, these get as many columns of zeros. Where the wider head_dim is more
// than the kernel takes, the column goes alone: the gradients are linear in (v, dout, out) together
// with grad_lse, so that those of two calls are added.
BackendGrads backward_by_columns(const Backend& backend, const BackendBackward& call);

}  // namespace attncheck

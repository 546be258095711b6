#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"

namespace attncheck {

// What a forward hands to its backward. `tensors` are saved by autograd (and checked against
// changes in place); keep no more than q, k, v, out and lse.
struct AttentionSaved {
  std::vector<at::Tensor> tensors;
  std::vector<std::vector<c10::IValue>> aux;  // the backend's, block by block
};

struct AttentionForward {
  at::Tensor out, lse;  // as in Attention; lse undefined when there is none
  AttentionSaved saved;
};

// A forward and the backward that belongs to it, both without autograd.
struct AttentionPass {
  std::function<AttentionForward(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>
      forward;
  // grad_out is always defined; grad_lse is undefined when nothing depends on lse on this rank,
  // which other ranks need not share. Returns gradients in the shapes and dtypes of q, k and v; an
  // undefined one says that there is none.
  std::function<BackendGrads(const AttentionSaved&, const at::Tensor& grad_out,
                             const at::Tensor& grad_lse)>
      backward;
};

// The pass as one node of autograd's graph. A second derivative is refused by an error.
Attention differentiable_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   AttentionPass pass);

}  // namespace attncheck

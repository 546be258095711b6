#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "impl/contract/backend.h"

namespace attncheck {

// The attention of one block of queries to one block of keys.
struct BlockAttention {
  at::Tensor out;  // (B, Sq, H, Dv), q's dtype; 0 on rows without a visible key
  // (B, Sq, H): the project's form, natural log, wider of q's dtype and float32, -inf on rows
  // without a visible key. Undefined if the backend has none.
  at::Tensor lse;
  std::vector<c10::IValue> aux;  // for the kernel's backward
};

// Runs the kernel and normalises what it returns by its contract. A block in which nothing is
// visible never reaches the kernel. Throws what the kernel throws, and for an LSE whose shape is
// not the declared one.
BlockAttention attend(const Backend& backend, const BackendInputs& block);

// The block's share of the gradients, given the GLOBAL out and lse. Zero for a block in which
// nothing is visible. A kernel that takes no grad_lse gets it by more columns: lse_columns.h.
BackendGrads attend_backward(const Backend& backend, const BackendBackward& call);

}  // namespace attncheck

#pragma once

#include <functional>

#include "mutants/systematic/operator.h"

namespace attncheck {

// The kernel of a method, changed in what it is given and in what it returns. What is empty stays.
struct KernelEdits {
  std::function<void(BackendInputs&)> block = nullptr;    // in forward and in backward
  std::function<void(BackendBackward&)> call = nullptr;   // the rest of what backward is given
  std::function<void(BackendForward&)> result = nullptr;  // raw: the contract says in which form
  std::function<void(BackendGrads&, const BackendBackward&)> grads = nullptr;
};

Changes on_blocks(const KernelEdits& edits);

}  // namespace attncheck

#pragma once

#include <optional>

#include <ATen/core/Tensor.h>

#include "reference/bounds.h"
#include "reference/dense_attention.h"
#include "reference/inputs.h"

namespace attncheck::reference {

/// All that the oracle knows about one problem, from one walk over its rows.
struct Evaluation {
  Forward forward;
  Gradients gradients;  // undefined where no cotangent was given
  Bounds bounds;        // undefined where no context was given
};

/// Cotangents as in vjp(): either may be undefined. Bounds for `context`, where one is given.
Evaluation evaluate(const Inputs& inputs, const at::Tensor& dout, const at::Tensor& dlse,
                    const std::optional<BoundContext>& context = std::nullopt);

}  // namespace attncheck::reference

#pragma once

#include "properties/inputs.h"
#include "properties/request.h"
#include "reference/inputs.h"

namespace attncheck {

// The request's global tensors as the reference takes them, token i at position i.
reference::Inputs reference_inputs(const Request& request, const InputTensors& tensors);

}  // namespace attncheck

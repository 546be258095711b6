#pragma once

#include <torch/csrc/utils/pybind.h>

#include "harness/callables/description.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"

namespace attncheck::python {

// Subjects that call Python, which holds the objects as long as the process lives. They are called
// without the GIL and take it. `call` is given all that a case asks for, by name, and picks what
// its callable takes (attncheck/_calls.py):
//   attention(q, k, v, options) -> (out, lse or None)
//   forward(q, k, v, options) -> (out, lse); backward(grad_out, q, k, v, out, lse, options) -> (dq,
//   dk, dv)
// attncheck.Unsupported becomes RefusedCall, anything else that is raised std::runtime_error with
// its type, its text and its place.
Implementation python_implementation(const CallableDescription& callable, const py::object& call);
Backend python_backend(const CallableDescription& callable, const py::object& forward,
                       const py::object& backward);

}  // namespace attncheck::python

#pragma once

#include <stdexcept>

#include <torch/csrc/utils/pybind.h>

#include "harness/callables/refused_call.h"
#include "python/core/entry.h"

namespace attncheck::python {

// Runs Python with the GIL held, and makes of what it raises an exception of ours.
template <typename Work>
auto in_python(const Work& work) {
  const Entry python;
  try {
    return work();
  } catch (py::error_already_set& raised) {
    const py::object unsupported = py::module_::import("attncheck").attr("Unsupported");
    if (raised.matches(unsupported)) throw RefusedCall(py::str(raised.value()).cast<std::string>());
    const py::object said = py::module_::import("attncheck._calls").attr("described");
    const py::object trace = raised.trace() ? raised.trace() : py::object(py::none());
    throw std::runtime_error(said(raised.value(), trace).cast<std::string>());
  }
}

}  // namespace attncheck::python

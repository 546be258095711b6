#pragma once

#include <torch/csrc/utils/pybind.h>

namespace attncheck::python {

// The GIL, with nothing raised: where a backward in Python raised, torch's engine throws that and
// leaves it in the thread's state as well, and the next call would fail by it.
class Entry {
 public:
  Entry() { PyErr_Clear(); }

 private:
  py::gil_scoped_acquire gil_;
};

}  // namespace attncheck::python

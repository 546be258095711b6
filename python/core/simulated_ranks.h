#pragma once

#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/utils/pybind.h>

#include "harness/sim_transport.h"

namespace attncheck::python {

// Ranks of sim that call Python: each thread keeps its Python state, in which torch.distributed's
// world of that rank lives, and a rank that waits for its turn has no GIL. Groups are made by
// `world`, which has the method
//   group(rank, size, ranks) -> ProcessGroup   ranks in ascending order, on the rank's thread
RankFrame python_ranks(const py::object& world);

// What torch.distributed asks for when `world` makes a group: the calling rank's part of the group
// of these ranks of the world, under that name. Throws std::runtime_error on a thread that is no
// rank's.
c10::intrusive_ptr<c10d::Backend> simulated_backend(const std::vector<int>& ranks,
                                                    const std::string& name);

}  // namespace attncheck::python

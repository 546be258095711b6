#pragma once

#include <memory>

#include <torch/csrc/utils/pybind.h>

#include "gloo_cpu/group_maker.h"
#include "gloo_cpu/rank_place.h"

namespace attncheck::python {

// Groups that torch.distributed knows: the world is its default group, and every other one is made
// by new_group, so that dist.get_rank(group), functional collectives and meshes of devices work on
// what a callable is given. `world` has the methods
//   enter(rank, size, store, timeout_seconds, network)   once, before any group
//   renew()                                               every group is forgotten
//   group(ranks) -> ProcessGroup                          ranks in ascending order
std::unique_ptr<gloo_cpu::GroupMaker> python_groups(const gloo_cpu::RankPlace& place,
                                                    const py::object& world);

}  // namespace attncheck::python

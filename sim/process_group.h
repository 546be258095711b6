#pragma once

#include <memory>

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
}

namespace attncheck::sim {

class Group;

// The c10d face of one member of a group, for CPU tensors. It supports allgather, _allgather_base,
// alltoall, alltoall_base, reduce_scatter, _reduce_scatter_base, allreduce, broadcast, barrier,
// send and recv; whatever else c10d has is refused by name.
//
//   - A post copies the input and returns at once, a send too. Work::wait gives the turn away until
//     all peers have posted, and then writes the output: an output read before wait is not written,
//     and one whose Work is dropped never is. The time-out is ignored: a deadlock is found at once.
//   - Tensors are contiguous CPU tensors and agree in dtype, as NCCL has it; c10::Error otherwise,
//     from the call itself. Any dtype travels; reductions are SUM, AVG (floating), PRODUCT, MIN and
//     MAX, in group order, rounded to the dtype at every step.
//   - Ranks that disagree on the operation, dtype, reduction, root or size get
//     c10::DistBackendError from wait, with both sides in it.
//   - Only the rank's own thread may use it, and only while the world runs; c10::Error otherwise.
//
// A group of `size` members keeps its order: getRank() is the position in the list.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(std::shared_ptr<Group> group,
                                                          int group_rank);

}  // namespace attncheck::sim

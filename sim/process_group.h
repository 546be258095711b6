#pragma once

#include <memory>

#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
}

namespace attncheck::sim {

class Group;

// The c10d face of one member of a group, for CPU tensors. It supports allgather, _allgather_base,
// alltoall, alltoall_base, reduce_scatter, _reduce_scatter_base, allreduce, reduce, broadcast,
// gather, gather_into_tensor, scatter, barrier, send and recv, the coalesced forms
// allreduce_coalesced, allgather_into_tensor_coalesced and reduce_scatter_tensor_coalesced (one
// exchange a tensor, under the plain name), and batches (startCoalescing, endCoalescing); whatever
// else c10d has is refused by name. Where a newer c10d calls one of these by another name
// (all_gather_single), both do; findings and traces say the one above.
//
//   - A post copies the input, fills the output with poison (NaN in floating and complex dtypes,
//     bytes of 0xA5 in integers and bool) and returns at once. Work::wait gives the turn away until
//     all peers have posted, and then writes the output: one that is read before wait is poison,
//     and one whose Work is dropped stays poison. The time-out is ignored: a deadlock is found at
//     once.
//   - A send that is larger than RunOptions::send_buffer ends when its receive is posted.
//   - Tensors are contiguous CPU tensors and agree in dtype, as NCCL has it, but for the outputs of
//     allgather, whose axes may lie in any order in memory; c10::Error otherwise, from the call
//     itself. Any dtype travels; reductions are SUM, AVG (floating), PRODUCT, MIN and
//     MAX, in group order, rounded to the dtype at every step.
//   - Ranks that disagree on the operation, dtype, reduction, root or size get
//     c10::DistBackendError from wait, with both sides in it.
//   - Only the rank's own thread may use it, and only while the world runs; c10::Error otherwise.
//
// A group of `size` members keeps its order: getRank() is the position in the list.
c10::intrusive_ptr<c10d::ProcessGroup> make_process_group(std::shared_ptr<Group> group,
                                                          int group_rank);

}  // namespace attncheck::sim

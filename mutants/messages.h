#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"

namespace attncheck {

// Tensors on their way between ranks of a group, so that a mutant can leave the rules: nobody may
// read `received` before `wait`, and `wait` is to be called once.
struct Flight {
  std::vector<at::Tensor> received;
  std::function<bool()> done;  // polls: whether all have arrived
  std::function<void()> wait;
};

// Message i is tagged tag + i. A rank sends nothing to itself.
Flight post_receives(const std::vector<at::Tensor>& like, c10d::ProcessGroup& group, int from,
                     int tag);
Flight post_sends(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group, int to, int tag);

// Both as one: the receives are posted first.
Flight post_hop(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group, int to, int from,
                int tag);

// One flight of two: what the first receives stands first.
Flight both(Flight first, Flight second);

}  // namespace attncheck

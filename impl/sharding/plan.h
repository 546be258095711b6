#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "impl/sharding/hooked_module.h"
#include "impl/sharding/split_gather.h"

namespace attncheck {

// One input or output of a module, by its place, and the axis along which it is cut into shards of
// a sequence. Tensors of one sequence are cut alike: a rotary (cos, sin) pair as its tokens.
struct Cut {
  int64_t place = 0;
  int64_t axis = 0;
  std::string sequence;
};

struct ModulePlan {
  std::vector<Cut> split_inputs;    // before the module runs
  std::vector<Cut> split_outputs;   // after it ran on every rank alike, as for rotary tables
  std::vector<Cut> gather_outputs;  // after it ran on shards
};

// How a model is sharded without a change to its code, by the names of its modules ("" the root,
// "blocks.0" a child): the shape of diffusers' _cp_plan.
using Plan = std::map<std::string, ModulePlan>;

// How a sequence is dealt out: how many tokens each rank has, and which, by their places in the
// whole sequence, rank by rank; without `order` they are the sequence cut into runs.
struct Sequence {
  ShardLengths lengths;
  std::vector<int64_t> order;
};
using Sequences = std::map<std::string, Sequence>;

// Hooks the plan onto the modules below `root`, which is held by a shared_ptr. Throws, on every
// rank alike and before anything is sent, for a module or sequence that is not there, a module
// without hooks, an input or output that the module lacks, an axis out of range, lengths or an
// order that do not make a sequence, and a gather of what is split nowhere. A tensor whose length
// is not that of its sequence is refused when its module is called, by the names of both.
void apply_plan(HookedModule& root, const Plan& plan, const Sequences& sequences,
                const KeptGroup& group);

}  // namespace attncheck

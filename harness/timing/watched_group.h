#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/timing/diary.h"

namespace attncheck::timing {

// The group with the same ranks and the same exchanges over its CPU backend, each written into the
// diary: when it was posted, and when it was first waited for. `name` is the group's in the diary,
// members[i] the rank of the mesh that is rank i of the group. c10d's collectives on lists of
// lists, to one rank and from one rank throw by name, as a backend without them does.
c10::intrusive_ptr<c10d::ProcessGroup> watched_group(
    const c10::intrusive_ptr<c10d::ProcessGroup>& group, const std::string& name,
    const std::vector<int>& members, std::shared_ptr<DiaryKeeper> keeper);

}  // namespace attncheck::timing

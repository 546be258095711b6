#pragma once

#include <memory>

#include "harness/scale/script.h"
#include "impl/contract/backend.h"
#include "impl/contract/mesh_groups.h"

namespace attncheck::scale {

// The groups of one rank of a mesh in which nobody else is. Exchanges of tensors without data
// (device meta) are written into the script, posts and waits. Takes what the implementations call:
// allgather and all-to-all of one tensor, send and recv; c10d refuses the rest.
MeshGroups script_groups(const Mesh& mesh, int rank, std::shared_ptr<Script> script);

// A kernel that writes its matrix products into the script: of the (query, key) pairs that the
// diagonal lets it see, 2 (D + E) a pair forward and 2 (3 D + 2 E) backward, where the scores are
// computed again (Dao, FlashAttention-2, 2023); D and E are the head_dim of q and k and of v.
Backend script_backend(std::shared_ptr<Script> script);

}  // namespace attncheck::scale

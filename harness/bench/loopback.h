#pragma once

#include "impl/contract/mesh_groups.h"

namespace attncheck::bench {

// The groups of one rank of a mesh in which nobody else is: what a rank sends comes back to it, by
// the copies that an exchange of that size needs, at once and in the calling thread. The results
// are wrong, the tensor work is that of a rank. Takes what the implementations call: allgather and
// all-to-all of one tensor, send and recv; whatever else is refused by c10d.
MeshGroups loopback_groups(const Mesh& mesh, int rank);

}  // namespace attncheck::bench

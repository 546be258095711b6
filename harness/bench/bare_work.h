#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "impl/contract/mesh_groups.h"
#include "properties/request.h"

namespace attncheck::bench {

// The work of a request that no harness could leave out: on this thread, one rank after another
// draws its inputs and runs the subject over a loop-back group, forward and backward, and the
// reference says what is right. No threads, no messages, no poison, no text.
class BareWork {
 public:
  explicit BareWork(const Registry& registry);
  ~BareWork();

  void operator()(const Request& request);
  // Without the reference.
  void ranks(const Request& request);

 private:
  const std::vector<MeshGroups>& groups_of(const Mesh& mesh);

  const Registry& registry_;
  std::map<std::string, std::vector<MeshGroups>> groups_;  // by the mesh's text
};

}  // namespace attncheck::bench

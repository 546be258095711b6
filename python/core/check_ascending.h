#pragma once

#include <algorithm>
#include <vector>

#include <c10/util/Exception.h>

namespace attncheck::python {

// torch.distributed sorts the ranks of a new group, so another order would not be the one asked
// for. Throws c10::Error.
inline void check_ascending(const std::vector<int>& members) {
  TORCH_CHECK(std::is_sorted(members.begin(), members.end()),
              "torch.distributed sorts the ranks of a group, and these are not in order");
}

}  // namespace attncheck::python

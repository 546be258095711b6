#include "sim/transfer.h"

#include <cstring>

namespace attncheck::sim {

void* Destination::chunk(int peer) const {
  if (starts.size() > 1) return starts[peer];
  return static_cast<std::byte*>(starts.front()) + chunks.offset(peer) * element_size;
}

void copy_elements(void* to, const void* from, int64_t count, c10::ScalarType dtype) {
  if (count > 0) std::memcpy(to, from, count * c10::elementSize(dtype));
}

}  // namespace attncheck::sim

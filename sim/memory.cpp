#include "sim/memory.h"

namespace attncheck::sim {

bool overlap(Bytes a, Bytes b) {
  return a.begin < b.end && b.begin < a.end && a.size() > 0 && b.size() > 0;
}

Bytes bytes_of(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cpu() || tensor.layout() != at::kStrided) return {};
  if (!tensor.has_storage() || tensor.numel() == 0) return {};
  const auto* base = static_cast<const std::byte*>(tensor.storage().data());
  if (base == nullptr) return {};
  int64_t last = 0;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
    last += (tensor.size(axis) - 1) * tensor.stride(axis);
  }
  const std::byte* begin = base + tensor.storage_offset() * tensor.element_size();
  return {begin, begin + (last + 1) * tensor.element_size()};
}

}  // namespace attncheck::sim

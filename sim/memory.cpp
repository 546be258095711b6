#include "sim/memory.h"

namespace attncheck::sim {

namespace {

// Some elements of a tensor: as many as `sizes` says, from `begin` on; strides in elements.
struct Part {
  const std::byte* begin;
  at::IntArrayRef sizes, strides;
  int64_t element;

  Bytes extent() const {
    int64_t bytes = element;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      bytes += (sizes[axis] - 1) * strides[axis] * element;
    }
    return {begin, begin + bytes};
  }
  bool dense() const {
    int64_t bytes = element;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (strides[axis] != 0) bytes *= sizes[axis];
    }
    return static_cast<int64_t>(extent().size()) <= bytes;
  }
  Part row(int64_t index) const {
    return {begin + index * strides[0] * element, sizes.slice(1), strides.slice(1), element};
  }
};

bool touches(const Part& part, Bytes range) {
  if (!overlap(part.extent(), range)) return false;
  if (part.dense()) return true;
  const int64_t rows = part.strides[0] == 0 ? 1 : part.sizes[0];
  for (int64_t i = 0; i < rows; ++i) {
    if (touches(part.row(i), range)) return true;
  }
  return false;
}

// The whole tensor; without a beginning where it has no elements or no memory.
Part whole(const at::Tensor& tensor) {
  constexpr const std::byte* kNowhere = nullptr;
  if (!tensor.defined() || !tensor.is_cpu() || tensor.layout() != at::kStrided ||
      !tensor.has_storage() || tensor.numel() == 0) {
    return {kNowhere, {}, {}, 0};
  }
  const auto* base = static_cast<const std::byte*>(tensor.storage().data());
  if (base == nullptr) return {kNowhere, {}, {}, 0};
  const int64_t element = static_cast<int64_t>(tensor.element_size());
  return {base + tensor.storage_offset() * element, tensor.sizes(), tensor.strides(), element};
}

}  // namespace

bool overlap(Bytes a, Bytes b) {
  return a.begin < b.end && b.begin < a.end && a.size() > 0 && b.size() > 0;
}

bool touches(const at::Tensor& tensor, Bytes range) {
  const Part all = whole(tensor);
  return all.begin != nullptr && touches(all, range);
}

Bytes bytes_of(const at::Tensor& tensor) {
  const Part all = whole(tensor);
  return all.begin == nullptr ? Bytes{} : all.extent();
}

}  // namespace attncheck::sim

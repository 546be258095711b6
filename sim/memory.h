#pragma once

#include <cstddef>

#include <ATen/core/Tensor.h>

namespace attncheck::sim {

// A range of memory.
struct Bytes {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;

  size_t size() const { return end - begin; }
  bool operator==(const Bytes&) const = default;
};

// False where one of them is empty.
bool overlap(Bytes a, Bytes b);

// Whether an element of the tensor lies in `range`; a tensor may step over it.
bool touches(const at::Tensor& tensor, Bytes range);

// From the first byte to the last that the tensor can reach; empty for a tensor that has no
// elements or no memory of this process (undefined, sparse, meta).
Bytes bytes_of(const at::Tensor& tensor);

}  // namespace attncheck::sim

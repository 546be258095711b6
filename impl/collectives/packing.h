#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace attncheck {

using Sizes = std::vector<int64_t>;

int64_t element_count(const Sizes& shape);

// The elements of all pieces, end to end, of one axis: a view where all lie in one piece that is
// contiguous. Without autograd, as what follows.
at::Tensor packed(const std::vector<at::Tensor>& pieces);

// Views of such a tensor in these shapes, one after another.
std::vector<at::Tensor> unpacked(const at::Tensor& flat, const std::vector<Sizes>& shapes);

}  // namespace attncheck

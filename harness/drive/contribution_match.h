#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

namespace attncheck {

// Which of the terms add up to `got`, elementwise within `bound`: the indices of the terms, one of
// them twice where it counts twice; fewest terms first, `own` before the others. nullopt when no
// sum of up to three explains it. Terms of other shapes than got's do not fit.
std::optional<std::vector<int>> match_sum(const at::Tensor& got,
                                          const std::vector<at::Tensor>& terms, int own,
                                          const at::Tensor& bound);

}  // namespace attncheck

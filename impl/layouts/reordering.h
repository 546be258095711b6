#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace attncheck {

// Moves tokens into another order, as TokenOrder's `places` say it, and back.
struct Reordering {
  at::Tensor there, back;  // (S): where the tokens come from; undefined where all stay

  Reordering() = default;
  explicit Reordering(const std::vector<int64_t>& places);
};

// x (B, S, ...) with the token at from[i] in place i: x itself where it or `from` is undefined.
at::Tensor moved(const at::Tensor& x, const at::Tensor& from);

}  // namespace attncheck

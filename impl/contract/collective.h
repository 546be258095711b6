#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include <ATen/core/Tensor.h>

#include "impl/contract/mesh_groups.h"
#include "impl/contract/support.h"
#include "problem/case.h"

namespace attncheck {

// Where an element of a collective's output comes from: the rank and the index (b, s, h, d) in that
// rank's input.
struct Origin {
  int rank = 0;
  std::array<int64_t, 4> index{};
};

// A differentiable collective y = A x over the ranks of a mesh. A case gives its sizes: every
// rank's input x is (B, Sq / W, H, D), contiguous shards of q_len tokens, unless `input_shape` says
// otherwise.
//
// The loss convention is the local one: the loss is the SUM of what the ranks compute, so that the
// gradient of x on a rank is the sum over all ranks of what they did with it (A transposed).
struct Collective {
  std::string name;
  std::function<Support(const Case&)> supports;
  std::function<std::array<int64_t, 4>(const Case&)> input_shape;   // (B, S, H, D) on every rank
  std::function<std::array<int64_t, 4>(const Case&)> output_shape;  // (B, S, H, D) on every rank
  std::function<at::Tensor(at::Tensor x, const MeshGroups&)> apply;
  // The specification, by index arithmetic alone, of a collective whose elements only move. Empty
  // where elements are summed: such a collective's forward is not judged, only its backward by it.
  std::function<Origin(const Case&, int rank, const std::array<int64_t, 4>& index)> origin;
};

}  // namespace attncheck

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "properties/lab.h"
#include "properties/verdict.h"

namespace attncheck {

// What a run with edited keys gives, told from a run without the edit.
struct Relation {
  // "that of the keys in their own order", completes "dq of rank 1 differs from ...".
  std::string from;
  // A whole tensor of the plain run, and its bound, laid out and scaled as in the edited one.
  std::function<at::Tensor(const std::string& tensor, const at::Tensor&)> carried;
  // What the edited run's tensor has more; undefined for nothing.
  std::function<at::Tensor(const std::string& tensor)> growth;
};

// Compares every tensor of the edited run with the relation to the plain run, within the sum of
// both runs' bounds.
Verdict follows(Lab& lab, const Request& plain, const Request& edited,
                const std::vector<std::string>& tensors, const Relation& relation);

// x along the sequence, (B, S, ...), with the row `rows[i]` at place i.
at::Tensor rows_of(const at::Tensor& x, const std::vector<int64_t>& rows);

}  // namespace attncheck

#include "problem/problem.h"

#include <cmath>

namespace attncheck {

double effective_scale(const Problem& problem) {
  return problem.scale.value_or(1.0 / std::sqrt(static_cast<double>(problem.head_dim)));
}

std::optional<int64_t> causal_diagonal(const Problem& problem) {
  if (!problem.causal) return std::nullopt;
  return problem.align == Align::top_left ? 0 : problem.kv_len - problem.q_len;
}

}  // namespace attncheck

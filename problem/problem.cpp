#include "problem/problem.h"

#include <cmath>
#include <numeric>

namespace attncheck {

double effective_scale(const Problem& problem) {
  return problem.scale.value_or(1.0 / std::sqrt(static_cast<double>(problem.head_dim)));
}

std::optional<int64_t> causal_diagonal(const Problem& problem) {
  if (!problem.causal) return std::nullopt;
  return problem.align == Align::top_left ? 0 : problem.kv_len - problem.q_len;
}

Band visible_band(const Problem& problem) {
  const int64_t own = problem.align == Align::top_left ? 0 : problem.kv_len - problem.q_len;
  Band band;
  if (problem.window) band = {own - *problem.window, own + *problem.window};
  if (problem.causal) band.upper = own;
  return band;
}

bool documents_fit(const Problem& problem) {
  const auto& documents = problem.documents;
  const int64_t sum = std::accumulate(documents.begin(), documents.end(), int64_t{0});
  return documents.empty() || (sum == problem.q_len && sum == problem.kv_len);
}

bool sees_every_place(const Problem& problem) {
  return !problem.causal && !problem.window && problem.documents.empty();
}

}  // namespace attncheck

#include "properties/selector.h"

#include <algorithm>
#include <cmath>

#include "properties/element.h"
#include "properties/inputs.h"

namespace attncheck {
namespace {

constexpr uint64_t kSelectorTag = 100;

// The number of keys that a query at `position` sees: keys 0 .. count - 1.
int64_t visible_count(const Problem& p, int64_t position) {
  const auto diagonal = causal_diagonal(p);
  if (!diagonal) return p.kv_len;
  return std::clamp<int64_t>(position + *diagonal + 1, 0, p.kv_len);
}

// A power of two, so that products with it are exact.
double gap_gain(const Problem& p) {
  const double gap = p.dtype == DType::f64 ? 800 : 128;
  const double scale = effective_scale(p);
  return std::copysign(std::exp2(std::ceil(std::log2(gap / std::max(std::abs(scale), 1e-6)))),
                       scale);
}

}  // namespace

int64_t selected_key(const Case& c, int64_t b, int64_t query, int64_t h) {
  const Problem& p = c.problem;
  const int64_t visible = visible_count(p, query);
  if (visible == 0) return -1;
  const int64_t batch = p.view == View::expanded ? 0 : b % p.batch;
  const Element element = Element(c.seed, kSelectorTag).at(batch).at(query).at(h);
  if (p.head_dim == 1) return element.integer(0, 1) == 0 ? 0 : visible - 1;
  return element.integer(0, visible - 1);
}

double selector_key(const Problem& p, int64_t position, int64_t d) {
  const auto j = static_cast<double>(position);
  if (p.head_dim == 1) return j;
  return d == 0 ? 2 * j : d == 1 ? -j * j : 0.0;
}

double selector_query(const Case& c, int64_t b, int64_t position, int64_t h, int64_t d) {
  const double gain = gap_gain(c.problem);
  const int64_t target = selected_key(c, b, position, h);
  if (c.problem.head_dim == 1) return target == 0 ? -gain : gain;
  return d == 0 ? gain * static_cast<double>(target) : d == 1 ? gain : 0.0;
}

}  // namespace attncheck

#include "harness/timing/throughput.h"

#include <algorithm>
#include <stdexcept>

namespace attncheck::timing {
namespace {

// Pairs of one head.
double visible_pairs(const Problem& problem) {
  const auto diagonal = causal_diagonal(problem);
  const auto q_len = static_cast<double>(problem.q_len);
  if (!diagonal) return q_len * static_cast<double>(problem.kv_len);
  double pairs = 0;
  for (int64_t i = 0; i < problem.q_len; ++i) {
    pairs += static_cast<double>(std::clamp<int64_t>(i + *diagonal + 1, 0, problem.kv_len));
  }
  return pairs;
}

}  // namespace

const char* to_text(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_gather:
      return "all_gather";
    case ExchangeKind::all_to_all:
      return "all_to_all";
    case ExchangeKind::send_recv:
      break;
  }
  return "send_recv";
}

const std::vector<ExchangeKind>& all_exchanges() {
  static const std::vector<ExchangeKind> all{ExchangeKind::all_gather, ExchangeKind::all_to_all,
                                             ExchangeKind::send_recv};
  return all;
}

ExchangeKind parse_exchange(const std::string& text) {
  for (ExchangeKind kind : all_exchanges()) {
    if (text == to_text(kind)) return kind;
  }
  throw std::invalid_argument("'" + text + "' is no exchange: all_gather, all_to_all or send_recv");
}

Bandwidth bandwidth(ExchangeKind kind, int64_t bytes, int ranks, double seconds) {
  if (ranks < 2) return {};
  const double n = ranks;
  const double size = static_cast<double>(bytes) * (kind == ExchangeKind::all_gather ? n : 1);
  const double factor = kind == ExchangeKind::send_recv ? 1 : (n - 1) / n;
  return {size / seconds, size / seconds * factor};
}

Products products_of(const Problem& problem) {
  const double each = 2 * static_cast<double>(problem.batch * problem.heads);
  const auto d = static_cast<double>(problem.head_dim), e = static_cast<double>(problem.v_head_dim);
  const double pairs = visible_pairs(problem);
  return {each * pairs * (d + e), each * pairs * (3 * d + 2 * e)};
}

double percent_of_alone(double alone_seconds, double together_seconds, int ranks) {
  return alone_seconds / (static_cast<double>(ranks) * together_seconds) * 100;
}

}  // namespace attncheck::timing

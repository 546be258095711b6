#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/values.h"
#include "properties/compare.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

constexpr double kCountable = 0.25;
constexpr int64_t kMostWork = 1 << 20;  // query-key pairs over all batches of the edited run

Support needs_moderate_length(const Case& c) {
  const Case run = effective_case(forward_request(c, ValueEdit::identity));
  const Problem& p = run.problem;
  const bool moderate = p.batch * p.heads * p.q_len * p.kv_len <= kMostWork;
  return moderate ? Support::yes() : Support::no("too many query-key pairs to count");
}

double share_of(double got, double expected, double bound) {
  const double error = std::abs(got - expected);
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return error == 0 ? 0 : error / bound;
}

struct Pair {
  int64_t b = 0, i = 0, h = 0, j = 0;
  int64_t batch = 0, component = 0;  // where it lies in the edited run
  bool counted = false;              // by its count, else by its weight
  double got = 0, expected = 0, bound = 0;

  double share() const { return share_of(got, expected, bound); }
};

// The weights of one query, over all keys that there are.
struct Row {
  int64_t b = 0, i = 0, h = 0;
  double got = 0, expected = 0, bound = 0;

  double share() const { return share_of(got, expected, bound); }
};

// What the edited run gave, and what the reference says of it; all float64 and contiguous.
struct Matrix {
  const Problem& problem;
  const double *out, *lse;
  const double *expected_out, *expected_lse, *out_bound, *lse_bound;

  Pair judged(int64_t b, int64_t i, int64_t h, int64_t j) const;
  Row judged_row(int64_t b, int64_t i, int64_t h) const;
};

Pair Matrix::judged(int64_t b, int64_t i, int64_t h, int64_t j) const {
  const Problem& p = problem;
  Pair pair{b, i, h, j, j / p.v_head_dim * p.batch + b, j % p.v_head_dim};
  const int64_t row = (pair.batch * p.q_len + i) * p.heads + h;
  const int64_t place = row * p.v_head_dim + pair.component;
  const double weight = expected_out[place];
  pair.bound = (1 + out_bound[place] / weight) * std::exp(lse_bound[row]) - 1;
  pair.counted = weight > 0 && pair.bound <= kCountable;
  pair.expected = pair.counted ? 1 : weight;
  pair.got = out[place];
  if (pair.counted) pair.got *= std::exp(lse[row] - expected_lse[row]) / weight;
  if (!pair.counted) pair.bound = out_bound[place];
  return pair;
}

Row Matrix::judged_row(int64_t b, int64_t i, int64_t h) const {
  const Problem& p = problem;
  Row row{b, i, h};
  for (int64_t j = 0; j < p.kv_len; ++j) {
    const int64_t batch = j / p.v_head_dim * p.batch + b;
    const int64_t place = ((batch * p.q_len + i) * p.heads + h) * p.v_head_dim + j % p.v_head_dim;
    row.got += out[place];
    row.expected += expected_out[place];
    row.bound += out_bound[place];
  }
  return row;
}

// The nearest to its bound, or the farthest above it; a bound of 0 says that there was none yet.
template <typename Judged>
void keep_worse(Judged& worst, const Judged& judged) {
  if (worst.bound == 0 || judged.share() > worst.share()) worst = judged;
}

struct Worst {
  Pair pair;
  Row row;

  double share() const { return std::max(pair.share(), row.share()); }
};

Worst worst_of(const Matrix& matrix) {
  const Problem& p = matrix.problem;
  Worst worst;
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t i = 0; i < p.q_len; ++i)
      for (int64_t h = 0; h < p.heads; ++h) {
        keep_worse(worst.row, matrix.judged_row(b, i, h));
        for (int64_t j = 0; j < p.kv_len; ++j) keep_worse(worst.pair, matrix.judged(b, i, h, j));
      }
  return worst;
}

// What is said of one query of the edited run: of its rank and its place there, too.
Evidence evidence_of_query(const Case& c, int64_t query, double got, double expected,
                           double bound) {
  Evidence evidence;
  evidence.tensor = "out";
  evidence.error = std::abs(got - expected);
  evidence.bound = bound;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const std::vector<int64_t> held = q_positions(c, rank);
    const auto found = std::find(held.begin(), held.end(), query);
    if (found == held.end()) continue;
    evidence.rank = rank;
    evidence.index = {0, found - held.begin(), 0, 0};
  }
  evidence.expected = fmt::format("{:.9g}", expected);
  evidence.got = fmt::format("{:.9g}", got);
  return evidence;
}

Evidence evidence_of_row(const Case& c, const Row& row) {
  Evidence evidence = evidence_of_query(c, row.i, row.got, row.expected, row.bound);
  evidence.index[0] = row.b;
  evidence.index[2] = row.h;
  evidence.message = fmt::format(
      "the weights of query {} of rank {} (batch {}, head {}) add up to {} over all keys, expected "
      "{}: the rest goes to what is nobody's key",
      row.i, evidence.rank, row.b, row.h, evidence.got, evidence.expected);
  return evidence;
}

Evidence evidence_of_pair(const Case& c, const Pair& pair) {
  Evidence evidence = evidence_of_query(c, pair.i, pair.got, pair.expected, pair.bound);
  evidence.shard = key_owner(c, pair.j);
  evidence.index[0] = pair.batch;
  evidence.index[2] = pair.h;
  evidence.index[3] = pair.component;
  evidence.message = fmt::format(
      "query {} of rank {} (batch {}, head {}) {} key {} of shard {} {} {}, expected {}", pair.i,
      evidence.rank, pair.b, pair.h, pair.counted ? "counts" : "weighs", pair.j, evidence.shard,
      evidence.got, pair.counted ? "times" : "of its output", evidence.expected);
  return evidence;
}

bool fits(const at::Tensor& got, const at::Tensor& want) {
  return got.defined() && got.sizes() == want.sizes();
}

const double* values(const at::Tensor& tensor) {
  return tensor.const_data_ptr<double>();
}

Verdict pairs_count_once(const Case& c, Lab& lab) {
  const Request request = forward_request(c, ValueEdit::identity);
  const Observation& observation = lab.observe(request);
  for (const char* tensor : {"out", "lse"}) {
    if (const auto nothing = nothing_to_judge(observation, tensor)) return *nothing;
  }
  const Expected& expected = lab.expected(request);
  const at::Tensor out = assemble(request, observation, "out");
  const at::Tensor lse = assemble(request, observation, "lse");
  if (!fits(out, expected.forward.out) || !fits(lse, expected.forward.lse)) {
    return Verdict::not_run("out and lse are not there in the right shape on every rank");
  }
  const Matrix matrix{c.problem,
                      values(out),
                      values(lse),
                      values(expected.forward.out),
                      values(expected.forward.lse),
                      values(expected.bounds.out),
                      values(expected.bounds.lse)};
  const Worst worst = worst_of(matrix);
  if (worst.pair.bound == 0) return Verdict::not_run("there is no query-key pair");
  const bool by_pair = worst.pair.share() > 1 || worst.pair.share() >= worst.row.share();
  Evidence evidence = by_pair ? evidence_of_pair(c, worst.pair) : evidence_of_row(c, worst.row);
  return worst.share() <= 1 ? Verdict::pass(std::move(evidence))
                            : Verdict::fail(std::move(evidence));
}

}  // namespace

Property every_query_key_pair_counts_once() {
  Property property;
  property.name = "every_query_key_pair_counts_once";
  property.explains = "each query counts each key that it sees once, and no other key";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_lse(c), needs_mild_scores(c),
                   needs_no_additive_mask(c), needs_moderate_length(c)});
  };
  property.check = pairs_count_once;
  return property;
}

}  // namespace attncheck

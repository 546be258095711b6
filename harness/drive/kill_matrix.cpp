#include "harness/drive/kill_matrix.h"

#include <algorithm>
#include <limits>

#include "harness/drive/median.h"

namespace attncheck {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kByListed = kNever - 1;  // later than any drawn case

int64_t place_of(const MatrixPair& pair) {
  return pair.cases().value_or(pair.by_listed ? kByListed : kNever);
}

// Whether no other property catches the mutant on any seed.
bool is_alone(const MatrixRow& row, const MatrixPair& pair) {
  return std::all_of(row.pairs.begin(), row.pairs.end(), [&](const MatrixPair& other) {
    return &other == &pair || other.verdict != Verdict::Kind::fail;
  });
}

bool is_first(const MatrixRow& row, const MatrixPair& pair) {
  return std::all_of(row.pairs.begin(), row.pairs.end(), [&](const MatrixPair& other) {
    return &other == &pair || place_of(pair) < place_of(other);
  });
}

void enter(const MatrixRow& row, const MatrixPair& pair, MatrixColumn& column,
           std::vector<std::optional<int64_t>>& cases) {
  if (!row.equivalent.empty() || !pair.kills()) return;
  ++column.kills;
  cases.push_back(pair.cases());
  if (is_alone(row, pair)) {
    column.alone.push_back(row.name);
  } else if (is_first(row, pair)) {
    ++column.first;
  }
}

}  // namespace

std::optional<int64_t> MatrixPair::cases() const {
  return lower_median(caught);
}

bool MatrixRow::caught() const {
  return std::any_of(pairs.begin(), pairs.end(), [](const MatrixPair& p) { return p.kills(); });
}

HuntState MatrixRow::state() const {
  const auto any = [this](Verdict::Kind kind) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const MatrixPair& pair) { return pair.verdict == kind; });
  };
  const bool failed = any(Verdict::Kind::fail);
  if (!equivalent.empty() && failed) return HuntState::caught_where_right;
  if (!failed && !any(Verdict::Kind::pass)) return HuntState::not_judged;
  if (!equivalent.empty()) return HuntState::equivalent;
  return caught() ? HuntState::caught : HuntState::survived;
}

std::vector<std::string> KillMatrix::unjudged() const {
  std::vector<std::string> names;
  for (const std::string& name : required) {
    const bool judged = std::any_of(rows.begin(), rows.end(), [&](const MatrixRow& row) {
      return std::any_of(row.pairs.begin(), row.pairs.end(), [&](const MatrixPair& pair) {
        return pair.property == name && pair.judged > 0;
      });
    });
    if (!judged) names.push_back(name);
  }
  return names;
}

int KillMatrix::exit_code() const {
  std::vector<HuntState> states;
  for (const MatrixRow& row : rows) states.push_back(row.state());
  const int code = exit_code_of(states);
  return code == 0 && !unjudged().empty() ? 3 : code;
}

std::vector<MatrixColumn> columns_of(const KillMatrix& matrix) {
  std::vector<MatrixColumn> columns;
  for (size_t i = 0; i < matrix.properties.size(); ++i) {
    MatrixColumn column;
    column.property = matrix.properties[i];
    std::vector<std::optional<int64_t>> cases;
    for (const MatrixRow& row : matrix.rows) enter(row, row.pairs[i], column, cases);
    column.cases = lower_median(cases);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace attncheck

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/drive/matrix_report.h"

namespace attncheck {
namespace {

using Kind = Verdict::Kind;

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 8;

// Names with commas between them, in lines that begin at an indent, the first after what is there.
std::string wrapped(const std::vector<std::string>& names) {
  std::string text;
  size_t column = kIndent;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string word = names[i] + (i + 1 < names.size() ? "," : "");
    if (i > 0 && column + 1 + word.size() > kColumns) {
      text += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (i > 0) {
      text += " ";
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + "\n";
}

int64_t pairs_in(const MatrixRow& row, Kind kind) {
  return std::ranges::count(row.pairs, kind, &MatrixPair::verdict);
}

// "3" cases, "listed", or "rarely": on fewer than half of the seeds.
std::string row_text(const MatrixRow& row) {
  std::map<int64_t, std::vector<std::string>> by_cases;
  std::vector<std::string> listed, rarely;
  for (const MatrixPair& pair : row.pairs) {
    if (pair.verdict != Kind::fail) continue;
    if (const auto cases = pair.cases()) {
      by_cases[*cases].push_back(pair.property);
    } else {
      (pair.by_listed ? listed : rarely).push_back(pair.property);
    }
  }
  std::string text = fmt::format(
      "{:<44}  {} failed, {} held, {} not run, {} unsupported{}\n", row.name,
      pairs_in(row, Kind::fail), pairs_in(row, Kind::pass), pairs_in(row, Kind::not_run),
      pairs_in(row, Kind::unsupported),
      row.state() == HuntState::caught ? "" : fmt::format(": {}", to_text(row.state())));
  for (const auto& [cases, names] : by_cases)
    text += fmt::format("{:>6}  ", cases) + wrapped(names);
  if (!listed.empty()) text += "listed  " + wrapped(listed);
  if (!rarely.empty()) text += "rarely  " + wrapped(rarely);
  return text;
}

std::string loss_text(const MatrixColumn& column) {
  std::vector<std::string> losses;
  if (!column.alone.empty()) losses.push_back(fmt::format("{} survive", column.alone.size()));
  if (column.first > 0) losses.push_back(fmt::format("{} later", column.first));
  return losses.empty() ? "nothing" : fmt::format("{}", fmt::join(losses, ", "));
}

std::string columns_text(const std::vector<MatrixColumn>& columns) {
  std::string text = fmt::format("{:<52}  {:>5}  {:>5}  {:>5}  {}\n", "property", "kills", "cases",
                                 "alone", "lost without it");
  for (const MatrixColumn& column : columns) {
    const std::string cases = column.cases ? std::to_string(*column.cases) : "-";
    text += fmt::format("{:<52}  {:>5}  {:>5}  {:>5}  {}\n", column.property, column.kills, cases,
                        column.alone.size(), loss_text(column));
  }
  return text;
}

std::string alone_text(const std::vector<MatrixColumn>& columns) {
  std::string text;
  std::vector<std::string> without;
  for (const MatrixColumn& column : columns) {
    if (column.alone.empty()) without.push_back(column.property);
    if (column.alone.empty()) continue;
    text +=
        column.property + " alone catches\n" + std::string(kIndent, ' ') + wrapped(column.alone);
  }
  if (without.empty()) return text;
  return text + "these catch nothing alone\n" + std::string(kIndent, ' ') + wrapped(without);
}

std::string states_text(const KillMatrix& matrix) {
  std::map<HuntState, std::vector<std::string>> names;
  for (const MatrixRow& row : matrix.rows) names[row.state()].push_back(row.name);
  std::string text;
  for (const auto& [state, rows] : names) {
    text += fmt::format("{} {}", rows.size(), to_text(state));
    const bool as_wished = state == HuntState::caught || state == HuntState::equivalent;
    text += as_wished ? "\n" : fmt::format(": {}\n", fmt::join(rows, ", "));
  }
  return text;
}

std::string sum_text(const KillMatrix& matrix) {
  int64_t cases = 0, runs = 0;
  for (const MatrixRow& row : matrix.rows) cases += row.cases, runs += row.runs;
  std::string text;
  for (const std::string& name : matrix.unjudged()) {
    text += "not checked: " + name + " was asked for by name, and judged no mutant\n";
  }
  return text + fmt::format("seeds {} to {}, up to {} cases each: {} cases, {} runs, {:.1f} s\n",
                            matrix.seeds.front(), matrix.seeds.back(), matrix.cases, cases, runs,
                            matrix.seconds);
}

}  // namespace

std::string report_text(const KillMatrix& matrix) {
  std::string text = "mutants: drawn cases until a property caught one, the median of the seeds\n";
  for (const MatrixRow& row : matrix.rows) text += row_text(row);
  const std::vector<MatrixColumn> columns = columns_of(matrix);
  return text + "\n" + columns_text(columns) + "\n" + alone_text(columns) + "\n" +
         states_text(matrix) + sum_text(matrix);
}

}  // namespace attncheck

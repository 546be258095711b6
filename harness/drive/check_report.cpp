#include "harness/drive/check_report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

bool judged_nothing(const StreamReport& stream) {
  return std::all_of(stream.results.begin(), stream.results.end(),
                     [](const PropertyResult& r) { return r.cases == 0; });
}

}  // namespace

std::string PropertyResult::word() const {
  const bool is_known = verdict != Verdict::Kind::fail && !known.empty();
  return is_known ? "known" : to_text(verdict);
}

std::optional<Case> PropertyResult::failing_case() const {
  const std::string what = word();
  if (what == "known") return known.front().case_;
  return what == "fail" ? case_ : std::nullopt;
}

const std::optional<Evidence>& PropertyResult::shown_evidence() const {
  return word() == "known" ? known.front().evidence : evidence;
}

std::string PropertyResult::replay_line() const {
  const std::optional<Case> failing = failing_case();
  return failing ? replay_program + " replay '" + to_text(*failing) + "'" + replay_flags : "";
}

bool StreamReport::failed() const {
  return std::any_of(results.begin(), results.end(), [](const PropertyResult& result) {
    return result.verdict == Verdict::Kind::fail;
  });
}

std::vector<std::string> StreamReport::unchecked() const {
  const std::string name = stream_name(spec);
  std::vector<std::string> lines;
  if (!broken.empty())
    lines.push_back(fmt::format("{}: ended after {} cases: {}", name, cases, broken));
  for (const std::string& cell : empty_cells) {
    lines.push_back(fmt::format("{}: no case in the cell '{}', which the subject supports{}", name,
                                cell, out_of_time ? " (out of time)" : ""));
  }
  if (!spec.refuses_calls && draws.refused_share() > kMostRefusedDraws) {
    lines.push_back(fmt::format(
        "{}: the subject refused {} of {} draws ({:.0f} %, at most {:.0f} "
        "%): the generator does not know what it supports",
        name, draws.refused, draws.drawn, 100 * draws.refused_share(), 100 * kMostRefusedDraws));
  }
  for (const auto& [what, properties] : incidents) {
    lines.push_back(
        fmt::format("{}: {}; not run there: {}", name, what, fmt::join(properties, ", ")));
  }
  if (lost_cases > 0) {
    lines.push_back(fmt::format("{}: {} of its cases ended ranks or made them hang{}", name,
                                lost_cases,
                                lost_cases >= kMostLostCases ? "; no more were drawn" : ""));
  }
  for (const PropertyResult& result : results) {
    // Where something failed, what ended early left nothing to judge: that is said there.
    if (failed() || !incidents.empty() || result.not_run == 0 || !result.known.empty()) continue;
    lines.push_back(fmt::format("{}: {} could not be judged on {} of its cases: {}", name,
                                result.property, result.not_run, result.why_not_run));
  }
  if (judged_nothing(*this) && broken.empty())
    lines.push_back(name + ": no property judged any case");
  return lines;
}

int64_t CheckReport::runs() const {
  return std::accumulate(streams.begin(), streams.end(), int64_t{0},
                         [](int64_t sum, const StreamReport& s) { return sum + s.runs; });
}

std::vector<std::string> CheckReport::unjudged() const {
  std::vector<std::string> lines;
  for (const std::string& property : required) {
    const bool judged = std::any_of(streams.begin(), streams.end(), [&](const StreamReport& s) {
      return std::any_of(s.results.begin(), s.results.end(), [&](const PropertyResult& r) {
        return r.property == property && r.cases > 0;
      });
    });
    if (!judged) lines.push_back(property + " was asked for and judged no case");
  }
  if (untried > 0) {
    lines.push_back(fmt::format("{} more streams were not tried, for want of ranks", untried));
  }
  return lines;
}

ExpectationCount CheckReport::count_of(size_t expectation) const {
  ExpectationCount all;
  for (const StreamReport& stream : streams) {
    const auto count = stream.expectations.find(expectation);
    if (count == stream.expectations.end()) continue;
    all.judged += count->second.judged;
    all.failed += count->second.failed;
  }
  return all;
}

std::string CheckReport::state_of(size_t expectation) const {
  const ExpectationCount count = count_of(expectation);
  if (count.failed > 0) return "known";
  return count.judged > 0 ? "fixed" : "unmatched";
}

int CheckReport::exit_code() const {
  bool unchecked = streams.empty() || !unjudged().empty();
  for (const StreamReport& stream : streams) {
    if (stream.failed()) return 1;
    unchecked = unchecked || !stream.unchecked().empty();
  }
  return unchecked ? 3 : 0;
}

}  // namespace attncheck

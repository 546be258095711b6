#include "harness/drive/compare_reports.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace attncheck {
namespace {

using Json = nlohmann::json;

// A closest call below this share of its bound may drift: it is far from a failure.
constexpr double kCloseEnough = 0.05;

// One line of a report, of either kind.
struct Line {
  std::string verdict, case_text;
  std::optional<double> share;  // of its bound, where the closest call has numbers
};

struct StreamFigures {
  int64_t cases = 0;
  std::optional<double> received, peak;
};

struct Report {
  ReportHead head;
  bool of_mutants = false;
  std::map<std::string, Line> lines;
  std::map<std::string, StreamFigures> streams;
};

std::string text_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string required_at(const Json& json, const char* key) {
  const std::string text = text_at(json, key);
  if (text.empty()) throw std::invalid_argument(fmt::format("an entry has no text `{}`", key));
  return text;
}

std::optional<double> number_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string stream_of(const Json& json) {
  return fmt::format("{} on {}, {}, {}", required_at(json, "impl"), required_at(json, "backend"),
                     required_at(json, "transport"), required_at(json, "dtype"));
}

std::optional<double> share_of(const Json& result) {
  const auto evidence = result.find("evidence");
  if (evidence == result.end() || !evidence->is_object()) return std::nullopt;
  const auto error = number_at(*evidence, "error"), bound = number_at(*evidence, "bound");
  if (!error || !bound || *bound <= 0) return std::nullopt;
  return *error / *bound;
}

void read_results(const Json& results, Report& report) {
  for (const Json& result : results) {
    const std::string where = stream_of(result) + ": " + required_at(result, "property");
    report.lines[where] = {required_at(result, "verdict"), text_at(result, "case"),
                           share_of(result)};
  }
}

void read_mutants(const Json& mutants, Report& report) {
  report.of_mutants = true;
  for (const Json& mutant : mutants) {
    const char* caught = mutant.value("caught", false) ? "caught" : "survived";
    report.lines["mutant " + required_at(mutant, "name")] = {mutant.value("state", caught),
                                                             text_at(mutant, "case"), std::nullopt};
  }
}

void read_streams(const Json& streams, Report& report) {
  for (const Json& stream : streams) {
    report.streams[stream_of(stream)] = {stream.value("cases", int64_t{0}),
                                         number_at(stream, "received_bytes"),
                                         number_at(stream, "peak_bytes")};
  }
}

Report read(const std::string& text, const char* which) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw std::invalid_argument(fmt::format("{} is no JSON, or not all of it", which));
  }
  const auto list = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_array();
  };
  if (!list("results") && !list("mutants")) {
    throw std::invalid_argument(
        fmt::format("{} is no report of `attncheck check` or `mutants`: it has no list `results` "
                    "and no list `mutants`",
                    which));
  }
  Report report;
  try {
    report.head = {text_at(json, "attncheck"), text_at(json, "libtorch"),
                   json.value("seed", uint64_t{0})};
    if (list("results")) read_results(json["results"], report);
    if (list("mutants")) read_mutants(json["mutants"], report);
    if (list("streams")) read_streams(json["streams"], report);
  } catch (const std::exception& error) {
    throw std::invalid_argument(fmt::format("{} is not as a report is: {}", which, error.what()));
  }
  return report;
}

bool fails(const std::string& verdict) {
  return verdict == "fail" || verdict == "survived" || verdict == "caught_where_right";
}

bool is_judged(const std::string& verdict) {
  return fails(verdict) || verdict == "pass" || verdict == "known" || verdict == "caught" ||
         verdict == "equivalent";
}

const Line& line_of(const Report& report, const std::string& where) {
  static const Line kAbsent{"absent", "", std::nullopt};
  const auto found = report.lines.find(where);
  return found == report.lines.end() ? kAbsent : found->second;
}

void enter(const std::string& where, const Line& before, const Line& after, Comparison& result) {
  const VerdictChange change{
      where, before.verdict, after.verdict,
      fails(after.verdict) || before.case_text.empty() ? after.case_text : before.case_text};
  if (fails(after.verdict)) {
    (fails(before.verdict) ? result.failing : result.broken).push_back(change);
  } else if (is_judged(before.verdict) && !is_judged(after.verdict)) {
    result.lost.push_back(change);
  } else if (fails(before.verdict)) {
    result.fixed.push_back(change);
  } else if (is_judged(after.verdict)) {
    ++(is_judged(before.verdict) ? result.same : result.gained);
  }
}

bool drifts(double before, double after, double factor) {
  if (before == after) return false;
  return std::min(before, after) <= 0 || std::max(before, after) / std::min(before, after) > factor;
}

void enter_error(const std::string& where, const Line& before, const Line& after,
                 Comparison& result) {
  if (after.verdict != "pass" || before.verdict != "pass" || !before.share || !after.share) return;
  if (std::max(*before.share, *after.share) < kCloseEnough) return;
  if (!drifts(*before.share, *after.share, kErrorDrift)) return;
  result.drifts.push_back({where, "error / bound", *before.share, *after.share});
}

void enter_figures(const Report& before, const Report& after, Comparison& result) {
  for (const auto& [where, now] : after.streams) {
    const auto found = before.streams.find(where);
    if (found == before.streams.end() || found->second.cases != now.cases) continue;
    const auto compare = [&, &where = where](const char* what, std::optional<double> then,
                                             std::optional<double> current, double factor) {
      if (!then || !current || !drifts(*then, *current, factor)) return;
      result.drifts.push_back({where, what, *then, *current});
    };
    compare("received bytes", found->second.received, now.received, kBytesDrift);
    compare("peak bytes", found->second.peak, now.peak, kPeakDrift);
  }
}

}  // namespace

int Comparison::exit_code() const {
  if (!broken.empty()) return 1;
  const bool judged = same + gained > 0 || !fixed.empty() || !failing.empty();
  return judged && lost.empty() ? 0 : 3;
}

Comparison compare_reports(const std::string& before_text, const std::string& after_text) {
  const Report before = read(before_text, "the first report");
  const Report after = read(after_text, "the second report");
  if (before.of_mutants != after.of_mutants) {
    throw std::invalid_argument(
        "one report is of `check`, the other of `mutants`: give two of one kind");
  }
  Comparison result;
  result.before = before.head;
  result.after = after.head;
  std::set<std::string> all;
  for (const Report* report : {&before, &after}) {
    for (const auto& [where, line] : report->lines) all.insert(where);
  }
  const bool same_draws = before.head.seed == after.head.seed;
  if (!same_draws) {
    result.without_figures = fmt::format("the reports are of other cases: seed {} and seed {}",
                                         before.head.seed, after.head.seed);
  }
  for (const std::string& where : all) {
    const Line &then = line_of(before, where), &now = line_of(after, where);
    enter(where, then, now, result);
    if (same_draws) enter_error(where, then, now, result);
  }
  if (same_draws) enter_figures(before, after, result);
  return result;
}

}  // namespace attncheck

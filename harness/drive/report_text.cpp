#include "harness/drive/report_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "problem/case_text.h"

namespace attncheck {
namespace {

using Kind = Verdict::Kind;

// Below this share of a bound even the closest call says that the bound is too wide.
constexpr double kLooseBound = 0.01;

int64_t count_of(const StreamReport& stream, const std::string& word) {
  return std::count_if(stream.results.begin(), stream.results.end(),
                       [&](const PropertyResult& r) { return r.word() == word; });
}

const PropertyResult* closest(const StreamReport& stream) {
  const PropertyResult* nearest = nullptr;
  for (const PropertyResult& result : stream.results) {
    if (result.verdict != Kind::pass || result.closest_call == 0) continue;
    if (nearest == nullptr || result.closest_call > nearest->closest_call) nearest = &result;
  }
  return nearest;
}

std::string percent_text(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

std::string closest_text(const StreamReport& stream) {
  const PropertyResult* nearest = closest(stream);
  if (nearest == nullptr) return "-";
  const std::string tensor = nearest->evidence ? " (" + nearest->evidence->tensor + ")" : "";
  return percent_text(nearest->closest_call) + tensor;
}

size_t widest(const CheckReport& report, std::string StreamSpec::*field, size_t least) {
  for (const StreamReport& stream : report.streams) {
    least = std::max(least, (stream.spec.*field).size());
  }
  return least;
}

std::string table_text(const CheckReport& report) {
  const size_t impl = widest(report, &StreamSpec::impl, 14);
  const size_t backend = widest(report, &StreamSpec::backend, 7);
  std::string text = fmt::format("{:<{}}  {:<{}}  {:<9}  {:<5}  {:>4}  {:>6}  {:>7}  {:>5}  {}\n",
                                 "implementation", impl, "backend", backend, "transport", "dtype",
                                 "held", "failed", "not run", "cases", "closest call");
  for (const StreamReport& stream : report.streams) {
    const StreamSpec& spec = stream.spec;
    text +=
        fmt::format("{:<{}}  {:<{}}  {:<9}  {:<5}  {:>4}  {:>6}  {:>7}  {:>5}  {}\n", spec.impl,
                    impl, needs_backend(spec.kind) ? spec.backend : "-", backend, spec.transport,
                    to_text(spec.dtype), count_of(stream, "pass"), count_of(stream, "fail"),
                    count_of(stream, "not_run"), stream.cases, closest_text(stream));
  }
  return text;
}

void add_line(std::string& text, const char* label, const std::string& value) {
  if (!value.empty()) text += fmt::format("  {:<9}{}\n", label, value);
}

std::string place_text(const Evidence& evidence) {
  std::string text = evidence.tensor;
  if (evidence.rank >= 0) text += fmt::format("{}rank {}", text.empty() ? "" : ", ", evidence.rank);
  if (evidence.shard >= 0) text += fmt::format(", shard {}", evidence.shard);
  if (!evidence.index.empty()) text += fmt::format(", index ({})", fmt::join(evidence.index, ", "));
  return text;
}

void add_evidence(std::string& text, const Evidence& evidence) {
  add_line(text, "what", evidence.message);
  add_line(text, "where", place_text(evidence));
  add_line(text, "expected", evidence.expected);
  add_line(text, "got", evidence.got);
  if (evidence.error != 0 || evidence.bound != 0) {
    add_line(text, "error", fmt::format("{:.3g}, bound {:.3g}", evidence.error, evidence.bound));
  }
}

// A bound that is never come near shows nothing; equal to the last bit is another matter.
std::string wide_bound_text(const std::string& property, double closest) {
  if (closest == 0)
    return "no difference at all: " + property + " (its bound was not put to use)\n";
  return fmt::format("wide bound: {} came no closer than {} of it\n", property,
                     percent_text(closest));
}

// The properties that did not judge in any stream, and why; those that came nowhere near a bound.
std::string remarks_text(const CheckReport& report) {
  struct Total {
    int64_t cases = 0;
    double closest = 0;
    bool bounded = false;
    std::string reason;
  };
  std::map<std::string, Total> totals;
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      Total& total = totals[result.property];
      total.cases += result.cases;
      total.closest = std::max(total.closest, result.closest_call);
      const bool held = result.verdict == Kind::pass && result.evidence.has_value();
      total.bounded = total.bounded || (held && result.evidence->bound > 0);
      if (!result.reason.empty()) total.reason = result.reason;
    }
  }
  std::string text;
  for (const auto& [name, total] : totals) {
    if (total.cases == 0) text += fmt::format("judged nothing: {} ({})\n", name, total.reason);
    if (total.bounded && total.closest < kLooseBound) text += wide_bound_text(name, total.closest);
  }
  return text;
}

void add_known(std::string& text, const CheckReport& report, size_t expectation) {
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      for (const KnownFailure& known : result.known) {
        if (known.expectation != expectation) continue;
        add_line(text, "case", to_text(known.case_));
      }
    }
  }
}

// A line for each known failure, whatever became of it.
std::string known_text(const CheckReport& report) {
  std::string text;
  for (size_t i = 0; i < report.expectations.size(); ++i) {
    const Expectation& expectation = report.expectations[i];
    const std::string what =
        fmt::format("{} | {} | {}", expectation.property, expectation.words, expectation.reason);
    const ExpectationCount count = report.count_of(i);
    const std::string state = report.state_of(i);
    if (state == "known") {
      text += fmt::format("known: {} ({} of {} cases failed)\n", what, count.failed, count.judged);
      add_known(text, report, i);
    } else if (state == "fixed") {
      text += fmt::format("fixed: {} ({} cases held: take line {} out)\n", what, count.judged,
                          expectation.line);
    } else {
      text += fmt::format(
          "matched nothing: {} (line {}: the property judged no case with these words)\n", what,
          expectation.line);
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string remembered_text(const CheckReport& report) {
  int64_t remembered = 0;
  for (const StreamReport& stream : report.streams) remembered += stream.remembered;
  const auto failures = [](int64_t count) {
    return fmt::format("{} failure{} of earlier runs", count, count == 1 ? "" : "s");
  };
  std::string text;
  if (remembered > 0) text = failures(remembered) + " tried first\n";
  if (report.remembered_elsewhere > 0) {
    text +=
        failures(report.remembered_elsewhere) +
        " not tried: no stream of this run is about them (their impl, backend, transport, mesh, "
        "dtype or property was not asked for)\n";
  }
  return text;
}

// What a time limit cut off.
std::string time_text(const CheckReport& report) {
  std::vector<std::string> cut;
  for (const StreamReport& stream : report.streams) {
    if (!stream.out_of_time) continue;
    cut.push_back(
        fmt::format("{} ({} of {})", stream_name(stream.spec), stream.cases, stream.asked));
  }
  if (cut.empty()) return "";
  return fmt::format("out of time: {} of {} streams have fewer cases than were asked for: {}\n",
                     cut.size(), report.streams.size(), fmt::join(cut, "; "));
}

std::string draws_text(const CheckReport& report) {
  DrawCounts all;
  int64_t cases = 0;
  for (const StreamReport& stream : report.streams) {
    all.drawn += stream.draws.drawn;
    all.refused += stream.draws.refused;
    cases += stream.cases + stream.refused_cases;
  }
  return fmt::format("{} cases, {} runs, {:.1f} s, seed {}; {} of {} draws refused ({:.1f} %)\n",
                     cases, report.runs(), report.seconds, report.seed, all.refused, all.drawn,
                     100 * all.refused_share());
}

}  // namespace

std::string failure_text(const std::string& stream, const PropertyResult& result) {
  std::string text = fmt::format("FAILED {}: {}\n", result.property, result.explains);
  add_line(text, "in", stream);
  if (result.evidence) add_evidence(text, *result.evidence);
  if (!result.case_) return text;
  if (result.drawn && *result.drawn != *result.case_) {
    add_line(text, "drawn as", to_text(*result.drawn));
  }
  if (!result.shrunk_to_end) add_line(text, "note", "a smaller case may exist: the time was up");
  add_line(text, "case", to_text(*result.case_));
  add_line(text, "again", result.replay_line());
  return text;
}

std::string report_text(const CheckReport& report) {
  std::string text = table_text(report) + "\n";
  text += known_text(report);
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      if (result.verdict != Kind::fail) continue;
      text += failure_text(stream_name(stream.spec), result) + "\n";
    }
  }
  for (const StreamReport& stream : report.streams) {
    for (const std::string& line : stream.unchecked()) text += "not checked: " + line + "\n";
  }
  for (const std::string& line : report.unjudged()) text += "not checked: " + line + "\n";
  return text + remarks_text(report) + remembered_text(report) + time_text(report) +
         draws_text(report);
}

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attncheck {

// What a report says of where it comes from.
struct ReportHead {
  std::string attncheck, libtorch;
  uint64_t seed = 0;
};

// A verdict that is another one in the second report.
struct VerdictChange {
  std::string where;          // "ring on math, sim, f64: gradients_match_reference"; or a mutant
  std::string before, after;  // the verdicts' words, the hunts' states; "absent"
  std::string case_text;      // of the failure, where either has one; the second report's first
};

// A figure of both reports that is another one in the second by more than its kind may drift.
struct Drift {
  std::string where, what;  // "error / bound", "received bytes", "peak bytes"
  double before = 0, after = 0;
};

struct Comparison {
  ReportHead before, after;
  std::vector<VerdictChange> broken;   // fail now, and did not
  std::vector<VerdictChange> fixed;    // failed, and do not
  std::vector<VerdictChange> failing;  // fail in both
  std::vector<VerdictChange> lost;     // were judged, and are not
  std::vector<Drift> drifts;
  int64_t same = 0;    // judged in both, with the same verdict, not a failure
  int64_t gained = 0;  // judged now, and were not, and hold
  // Why figures were not compared; empty where they were.
  std::string without_figures;

  // 1 when something broke, else 3 when something is no longer judged or nothing was judged in
  // either report, else 0.
  int exit_code() const;
};

// By how much a figure may differ before it is said.
inline constexpr double kErrorDrift = 2.0;   // a factor, of the closest call of a property
inline constexpr double kBytesDrift = 1.01;  // of what a stream's ranks received
inline constexpr double kPeakDrift = 1.05;   // of the most that a rank held

// Two reports of `check`, or of `mutants`, as report_json writes them. Throws std::invalid_argument
// with what is wrong: "the first report is no JSON ...".
Comparison compare_reports(const std::string& before, const std::string& after);

// For people, and for programs: {"before", "after", "broken", "fixed", "failing", "lost",
// "drifts", "same", "gained"}.
std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);

}  // namespace attncheck

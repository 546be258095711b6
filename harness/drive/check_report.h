#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/drive/case_stream.h"
#include "harness/drive/expectations.h"
#include "harness/drive/stream_spec.h"
#include "problem/case.h"
#include "properties/verdict.h"

namespace attncheck {

// Failures of one property in one stream that one line of the list of known failures names.
struct KnownFailure {
  size_t expectation = 0;  // its position in the list
  int64_t cases = 0;
  Case case_;  // the first one, shrunk as far as the line still names it
  std::optional<Evidence> evidence;
};

// What one property said of one stream.
struct PropertyResult {
  std::string property, explains;
  Verdict::Kind verdict = Verdict::Kind::unsupported;
  std::string reason;  // of unsupported and not_run
  int64_t cases = 0;   // judged: passed or failed
  int64_t not_run = 0;
  std::string why_not_run;           // the first of them, with its case
  int64_t throws = 0;                // cases on which it, or supports(), threw
  bool unrepeatable = false;         // a rank died or hung once and not again, or it threw
  double closest_call = 0;           // the largest error / bound among what passed
  std::optional<Case> closest_case;  // its case
  // The largest error / bound by ring degree of the mesh, failures among them; where there was a
  // bound.
  std::map<int, double> shares;
  // Of a failure: the shrunk case, and what failed there. Of a pass: the evidence of the closest
  // call.
  std::optional<Case> case_;
  std::optional<Evidence> evidence;
  std::optional<Case> drawn;  // of a failure: the case as it was drawn
  bool shrunk_to_end = true;
  std::vector<KnownFailure> known;           // they leave the verdict as it is
  std::string replay_program = "attncheck";  // what runs a case again: its first words
  std::string replay_flags;  // what a replay is told beside the case, each after a blank

  // "fail" before "known" before the verdict's own word.
  std::string word() const;
  // The shrunk case of what failed, or of the first known failure; nothing of what held.
  std::optional<Case> failing_case() const;
  // Its evidence; of what held, that of the closest call.
  const std::optional<Evidence>& shown_evidence() const;
  // What runs the failing case again, for a shell; empty without one.
  std::string replay_line() const;
};

// How often the cases that a line of the list of known failures names were judged, and failed.
struct ExpectationCount {
  int64_t judged = 0, failed = 0;
};

// No more cases are drawn after so many that lost a rank: each costs seconds, and tells little new.
inline constexpr int64_t kMostLostCases = 3;

// What one stream of cases came to.
struct StreamReport {
  StreamSpec spec;
  std::vector<Mesh> meshes;  // that the subject does
  std::vector<PropertyResult> results;
  int64_t cases = 0, refused_cases = 0;
  int64_t asked = 0;       // cases, which are less when the time is up
  int64_t remembered = 0;  // failures of earlier runs that were tried first
  int64_t runs = 0;
  // What became of a rank once and not again, with the case -> the properties that it kept from
  // judging.
  std::map<std::string, std::vector<std::string>> incidents;
  // What all ranks received in the base runs, and the most that one ever held, where measured.
  std::optional<int64_t> received_bytes, peak_bytes;
  int64_t lost_cases = 0;  // that ended a rank, or made it hang, again and again
  DrawCounts draws;
  std::map<std::string, int64_t> cells;
  std::vector<std::string> empty_cells;
  std::map<size_t, ExpectationCount> expectations;  // by position in the list
  bool out_of_time = false;
  std::string broken;     // what ended the stream before its time; empty: nothing did
  bool no_ranks = false;  // that, for want of ranks: further streams would have none either
  double seconds = 0;

  bool failed() const;
  // Why the stream could not be checked, a line each: what broke it, cells without a case, draws
  // refused too often, a rank that died once, nothing applied.
  std::vector<std::string> unchecked() const;
};

struct CheckReport {
  std::string version, libtorch;
  uint64_t seed = 0;
  std::vector<StreamReport> streams;
  int64_t remembered_elsewhere = 0;  // failures of earlier runs that no stream of this one is about
  size_t untried = 0;                // streams behind one that had no ranks
  double seconds = 0;
  std::vector<Expectation> expectations;
  std::vector<std::string> required;  // properties that must have judged some case

  int64_t runs() const;
  // What was required and judged no case of any stream, and streams that were not tried: a line
  // each.
  std::vector<std::string> unjudged() const;
  // Over all streams.
  ExpectationCount count_of(size_t expectation) const;
  // "known": failed, as listed; "fixed": tried, and did not fail; "unmatched": never tried.
  std::string state_of(size_t expectation) const;
  // 1 when a property failed, else 3 when something could not be checked, else 0.
  int exit_code() const;
};

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/drive/case_stream.h"
#include "harness/drive/stream_spec.h"
#include "problem/case.h"
#include "properties/verdict.h"

namespace attncheck {

// What one property said of one stream.
struct PropertyResult {
  std::string property, explains;
  Verdict::Kind verdict = Verdict::Kind::unsupported;
  std::string reason;  // of unsupported and not_run
  int64_t cases = 0;   // judged: passed or failed
  int64_t not_run = 0;
  bool unrepeatable = false;  // a rank died or hung once and not again
  double closest_call = 0;    // the largest error / bound among what passed
  // Of a failure: the shrunk case, and what failed there. Of a pass: the evidence of the closest
  // call.
  std::optional<Case> case_;
  std::optional<Evidence> evidence;
  std::optional<Case> drawn;  // of a failure: the case as it was drawn
  bool shrunk_to_end = true;
};

// What one stream of cases came to.
struct StreamReport {
  StreamSpec spec;
  std::vector<Mesh> meshes;  // that the subject does
  std::vector<PropertyResult> results;
  int64_t cases = 0, refused_cases = 0;
  DrawCounts draws;
  std::map<std::string, int64_t> cells;
  std::vector<std::string> empty_cells;
  bool out_of_time = false;
  double seconds = 0;

  bool failed() const;
  // Why the stream could not be checked, a line each: cells without a case, draws refused too
  // often, a rank that died once, nothing applied.
  std::vector<std::string> unchecked() const;
};

struct CheckReport {
  std::string version, libtorch;
  uint64_t seed = 0;
  std::vector<StreamReport> streams;
  int64_t runs = 0;
  double seconds = 0;

  // 1 when a property failed, else 3 when something could not be checked, else 0.
  int exit_code() const;
};

}  // namespace attncheck

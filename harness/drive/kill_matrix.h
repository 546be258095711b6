#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/drive/hunt_state.h"
#include "properties/verdict.h"

namespace attncheck {

// What one property said of one mutant, over all seeds.
struct MatrixPair {
  std::string property;
  // By seed: the cases drawn until the property failed; nullopt where it did not.
  std::vector<std::optional<int64_t>> caught;
  // The case that the mutant lists showed it, and drawn ones on fewer than half of the seeds.
  bool by_listed = false;
  // fail: on some seed, or on the listed case. pass: it judged cases, and held on all of them.
  // unsupported, not_run: it judged none.
  Verdict::Kind verdict = Verdict::Kind::unsupported;
  int64_t judged = 0;  // cases, over all seeds
  std::string reason;  // of unsupported and not_run

  // The median over the seeds (median.h).
  std::optional<int64_t> cases() const;
  // Caught on half of the seeds or more, or by the listed case.
  bool kills() const { return by_listed || cases().has_value(); }
};

// What all properties said of one mutant.
struct MatrixRow {
  std::string name, source, property, equivalent;  // as in Hunt
  std::vector<MatrixPair> pairs;                   // by property, in the order of the matrix
  int64_t cases = 0, runs = 0;                     // over all seeds
  double seconds = 0;

  bool caught() const;  // some property kills it
  // As of a hunt. One that is caught on fewer than half of the seeds survived.
  HuntState state() const;
};

struct KillMatrix {
  std::string version, libtorch;
  std::vector<uint64_t> seeds;
  int64_t cases = 0;                    // by mutant and seed, at most
  std::vector<std::string> properties;  // the columns
  std::vector<std::string> required;    // of them, those that must have judged some case
  std::vector<MatrixRow> rows;
  double seconds = 0;

  // What was required and judged no mutant.
  std::vector<std::string> unjudged() const;
  // 1 when a mutant survived or an equivalent one was caught, else 3 when a mutant or a required
  // property was not judged, else 0.
  int exit_code() const;
};

// What one property is worth.
struct MatrixColumn {
  std::string property;
  int64_t kills = 0;
  // Mutants that it kills, and that no other property catches on any seed.
  std::vector<std::string> alone;
  int64_t first = 0;  // others that it catches after fewer cases than any other property does
  std::optional<int64_t> cases;  // the median over its kills; nullopt also for the listed case
};
std::vector<MatrixColumn> columns_of(const KillMatrix& matrix);

}  // namespace attncheck

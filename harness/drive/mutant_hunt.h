#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/drive/check_stream.h"
#include "impl/contract/mutant.h"

namespace attncheck {

// The same mutant on another backend: that it is caught where it is wrong, and nowhere else.
struct FormHunt {
  std::string backend;
  bool wrong_here = true;
  bool caught = false;
  int64_t cases = 0;          // judged until then
  std::optional<Case> case_;  // on which it was caught, not shrunk

  bool as_listed() const { return caught == wrong_here; }
};

// Whether, how and how soon a mutant was caught by the property that its entry names.
struct Hunt {
  std::string name, source, fault, property;
  bool caught = false;
  bool by_smallest_alone = false;  // no drawn case showed it, only the case that is listed
  int64_t cases = 0;               // judged until then
  std::optional<Case> case_;       // shrunk
  std::optional<Evidence> evidence;
  Case smallest;                // as listed
  bool small_enough = false;    // the shrunk case is at least as small as the listed one
  std::string why_not;          // of a survivor
  std::vector<FormHunt> forms;  // on the other backends that its entry names

  // Caught, on the listed case's backend and on each other one where it is wrong, and not caught
  // where it is right.
  bool as_listed() const;
};

struct HuntReport {
  std::string version, libtorch;
  uint64_t seed = 0;
  std::vector<Hunt> hunts;

  int exit_code() const;  // 1 when a mutant survived, or was caught where it is right
};

// Draws cases that the mutant supports, on meshes of up to 4 ranks, until its named property fails
// on one; tries the listed smallest case last. Shrinks what it found on that property. Does the
// same on the other backends that the mutant names, without shrinking.
Hunt hunt(const Mutant& mutant, const PropertyList& properties, LaneLab& lane,
          const CheckOptions& options);

}  // namespace attncheck

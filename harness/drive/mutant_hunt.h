#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/drive/check_stream.h"
#include "harness/drive/hunt_state.h"
#include "impl/contract/mutant.h"

namespace attncheck {

// The same mutant on another backend: that it is caught where it is wrong, and nowhere else.
struct FormHunt {
  std::string backend;
  bool wrong_here = true;
  bool caught = false;
  int64_t cases = 0;          // drawn until then
  std::optional<Case> case_;  // on which it was caught, not shrunk

  bool as_listed() const { return caught == wrong_here; }
};

// Whether, how and how soon a mutant was caught by the property that its entry names.
struct Hunt {
  std::string name, source, fault;
  std::string property;    // that is named; of an equivalent mutant: the one that failed, if any
  std::string equivalent;  // why no property can tell it from a right one; empty: it is wrong
  bool caught = false;
  bool judged = true;              // some case could be judged
  bool by_smallest_alone = false;  // no drawn case showed it, only the case that is listed
  int64_t cases = 0;               // drawn until then
  std::optional<Case> case_;       // shrunk, where the hunt shrinks
  std::optional<Evidence> evidence;
  Case smallest;              // as listed
  bool shrunk = true;         // false: case_ is as it was drawn
  bool small_enough = false;  // the shrunk case is at least as small as the listed one
  std::string why_not;        // of a survivor: what its property said of the listed case
  std::optional<std::vector<std::string>> others;  // of a survivor: properties that fail there
  std::vector<FormHunt> forms;                     // on the other backends that its entry names

  // Of a mutant with other backends: as listed on all of them.
  HuntState state() const;
};

// Hunts every mutant, side by side in lanes: draws cases that it supports, on meshes of up to 4
// ranks, until its named property fails on one; tries the listed smallest case last. Shrinks what
// it found on that property, unless the mutant is a systematic one: these are many, and their cases
// are nobody's reading. Does the same on the other backends that a mutant names, without shrinking.
// An equivalent mutant is judged by every property, on fewer cases. The same mutants, seed and
// options give the same hunts, whatever the number of lanes.
std::vector<Hunt> hunt_all(const std::vector<const Mutant*>& mutants,
                           const PropertyList& properties, Lanes& lanes,
                           const CheckOptions& options);

}  // namespace attncheck

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// Something that a user may ask of context-parallel attention, in their words, as a row of the
// table of supported combinations.
struct SupportRow {
  std::string label;
  // Makes a plain case into one that asks for it; absent where no case can say it.
  std::function<void(Case&)> set;
  std::vector<std::string> features;  // those of features.h that it speaks of
  bool needs_ring = false;            // says nothing on meshes of ring degree 1
  bool needs_ulysses = false;         // says nothing on meshes of Ulysses degree 1
};

// First what people ask for, then what else a drawn case may have (features.h), under its own name:
// no feature that a subject may refuse is left out, other than those of the data.
std::vector<SupportRow> support_rows();

}  // namespace attncheck

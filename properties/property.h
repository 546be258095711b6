#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/lab.h"
#include "properties/subject_kind.h"
#include "properties/verdict.h"

namespace attncheck {

// A sentence that can be false.
struct Property {
  std::string name;
  std::string explains;  // one line for a reader of a failure
  std::set<SubjectKind> subjects{SubjectKind::implementation};
  // Where the sentence is true at all (DESIGN 4.2), whatever the subject: from the case alone.
  std::function<Support(const Case&)> applies;
  // Judges a case that applies. On a case that the subject refuses, only a property about refusals
  // runs.
  std::function<Verdict(const Case&, Lab&)> check;
  bool about_refusals = false;
  std::string origin = {};  // the plug-in that brought it: set where it is loaded
};

// Every property, in the order in which they are reported. Explicit: nothing registers itself.
const std::vector<Property>& all_properties();

}  // namespace attncheck

#pragma once

#include <initializer_list>
#include <optional>
#include <set>

#include "properties/lab.h"
#include "properties/property.h"

namespace attncheck {

// The case's run with a look at tensors in flight and at memory.
Request watched_request(const Case& c);

// unsupported, when the transport does not see exchanges.
std::optional<Verdict> no_trace(const Observation& observation);

// fail, with the first finding of these kinds, if a rank has any. Also of a run that ended early.
// `expected` completes the evidence. nothing without one.
std::optional<Verdict> finding_of(const Observation& observation, std::set<Finding::Kind> kinds,
                                  const char* expected);

// What every subject that talks is.
std::set<SubjectKind> talking_subjects();

}  // namespace attncheck

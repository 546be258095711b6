#pragma once

#include <string>
#include <vector>

#include "harness/registry.h"
#include "harness/scale/links.h"
#include "harness/scale/timeline.h"
#include "problem/case.h"

namespace attncheck::scale {

// What each rank of a case's mesh does when, in virtual time: see `predict`.
struct Trace {
  Case case_;
  std::vector<Script> scripts;  // by ring index; the other rings do the same at the same time
  Timetable timetable;
  Prediction prediction;
};

// Whether the case can be traced: what `supports` says, and shards of one length.
Support can_trace(const Registry& registry, const Case& c);

// Of a case that can be traced.
Trace trace_of(const Registry& registry, const Case& c, const Machine& machine);

// In Chrome's trace event format, which Perfetto and chrome://tracing open: a track for each rank
// with what it computes, posts and waits for, by operation and bytes; what its links carry beside
// it; arrows from each post to where its data was waited for. Microseconds.
std::string trace_json(const Trace& trace);

// A line for each rank of a ring: its time, what it computed and waited (for its links, and for
// ranks that have more to do), and the share of its links' time in which it waited: the
// communication that nothing hid.
std::string trace_text(const Trace& trace);

}  // namespace attncheck::scale

#pragma once

#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck::timeline {

// One exchange, as one rank posts it.
struct Exchange {
  std::string operation;  // "allgather", "alltoall", "send", "recv", ...
  std::string group;      // "ring", "ulysses" or "world"
  int64_t bytes = 0;      // received from all others together; of a message, its size
};

// What a rank of the mesh did, or what its link carried (a transfer), in seconds.
struct Span {
  enum class Kind { compute, post, wait, transfer };
  Kind kind = Kind::compute;
  int rank = 0;
  double begin = 0, end = 0;
  size_t exchange = 0;    // but of compute: which of the rank's
  std::string pass = {};  // of compute: "forward" or "backward"
  double flops = 0;       // of compute, where it was predicted

  double seconds() const { return end - begin; }
};

// The exchange of one rank gave its data to that of another one.
struct Meeting {
  int from_rank = 0, to_rank = 0;
  size_t from_exchange = 0, to_exchange = 0;
};

// What each rank of a case's mesh did when, in one forward and one backward pass. A rank's spans
// but its transfers follow on one another, from 0 on.
struct Trace {
  Case case_;
  bool measured = false;  // wall time; else virtual time (harness/scale/timeline.h)
  std::vector<std::vector<Exchange>> exchanges;  // by rank
  std::vector<Span> spans;                       // of a rank in the order of time
  std::vector<Meeting> meetings;

  const Exchange& exchange_of(const Span& span) const {
    return exchanges.at(span.rank).at(span.exchange);
  }
};

// In Chrome's trace event format, which Perfetto and chrome://tracing open: a track for each rank
// with what it computes, posts and waits for, by operation and bytes; what its links carry beside
// it; arrows from each post to where its data was waited for; and the critical path, as a process
// of its own. Microseconds.
std::string trace_json(const Trace& trace);

// A line for each rank: its time, what of it it computed, posted and waited, and the share of its
// transfers' time in which it waited: the communication that nothing hid. Then the critical path.
// Predicted ranks of one Ulysses group are alike, and are one line.
std::string trace_text(const Trace& trace);

}  // namespace attncheck::timeline

#pragma once

#include <vector>

#include "harness/scale/links.h"
#include "harness/scale/script.h"
#include "problem/mesh.h"

namespace attncheck::scale {

// What the model says of one pass of a mesh, of the rank that ends last: of several, the one
// that computes most.
struct Prediction {
  double seconds = 0;
  double waited = 0;   // of them: nothing was computed, an exchange was waited for
  double compute = 0;  // of them: the kernel's products
  int64_t received_bytes = 0;

  double waited_share() const { return seconds > 0 ? waited / seconds : 0; }
};

// What a rank of the ring did, or its link, in seconds of virtual time. A post takes none.
struct Span {
  enum class Kind { compute, post, wait, transfer };
  Kind kind = Kind::compute;
  int rank = 0;
  double begin = 0, end = 0;
  size_t index = 0;  // of compute: which of Script::steps; else which of Script::exchanges
};

// The exchange of one rank gave its data to that of another one.
struct Meeting {
  int from_rank = 0, to_rank = 0;
  size_t from_exchange = 0, to_exchange = 0;
};

struct Timetable {
  std::vector<Span> spans;  // in the order in which they were found
  std::vector<Meeting> meetings;
};

// Virtual time. `scripts` are those of the ranks of one ring, by ring index; the other rings do the
// same at the same time. One script alone stands for ranks that all do the same: its peers are 0. A
// kernel's products take their time at the machine's rate; whatever else a rank computes takes
// none. A collective begins when all its ranks have posted it and their links are free, and takes
// the latency plus its received bytes over the bandwidth; a message likewise between its two ranks.
// A rank's links (one an axis) carry one exchange at a time. Throws std::invalid_argument when the
// scripts wait for what nobody posts.
Prediction predict(const std::vector<Script>& scripts, const Mesh& mesh, const Machine& machine,
                   Timetable* timetable = nullptr);  // to be filled, where it is given

}  // namespace attncheck::scale

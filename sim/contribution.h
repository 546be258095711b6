#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "sim/buffer_pool.h"
#include "sim/reduction.h"

namespace attncheck::sim {

enum class Kind {
  kAllgather,
  kAllgatherBase,
  kAlltoall,
  kAlltoallBase,
  kReduceScatter,
  kReduceScatterBase,
  kAllreduce,
  kReduce,
  kBroadcast,
  kGather,
  kGatherBase,
  kScatter,
  kBarrier,
  kSend,  // a message, the one that is no collective
};
constexpr int kKinds = static_cast<int>(Kind::kSend) + 1;

// The name of the c10d method: "_allgather_base".
const char* name_of(Kind kind);

// How a rank's buffer is cut into one chunk per peer (group rank). Counts and offsets in elements.
class Chunks {
 public:
  Chunks() = default;
  // One chunk of `count` elements, the same for every peer.
  static Chunks shared(int64_t count);
  // `count` elements for each peer, one after another.
  static Chunks even(int64_t count);
  // counts[p] elements for peer p, one after another.
  static Chunks uneven(std::vector<int64_t> counts);

  bool uniform() const { return counts_.empty(); }
  int64_t count(int peer) const { return counts_.empty() ? count_ : counts_[peer]; }
  int64_t offset(int peer) const { return counts_.empty() ? peer * stride_ : offsets_[peer]; }

 private:
  int64_t count_ = 0;
  int64_t stride_ = 0;
  std::vector<int64_t> counts_, offsets_;
};

// What one rank posts to a collective.
struct Contribution {
  Kind kind = Kind::kBarrier;
  c10::ScalarType dtype = c10::ScalarType::Byte;
  Reduction reduction = Reduction::kNone;
  int root = -1;               // group rank that gives or gets all, -1: none is special
  Chunks sends;                // of `data`
  Chunks receives;             // what this rank expects from each peer
  Buffer data;                 // the packed input
  std::vector<int64_t> sizes;  // of the tensor, the first of several

  // True where one number says all: every chunk of this rank, sent or received, has that size.
  bool one_size() const;
};

// Whether a member gets nothing but what the root has.
bool from_root_alone(Kind kind);

// Why the contributions of the group ranks a and b do not fit each other, with both sides named by
// the world ranks given; empty if they fit.
std::string mismatch(const Contribution& a, int group_a, int world_a, const Contribution& b,
                     int group_b, int world_b);

// Why the shapes of two contributions that fit do not: they differ beyond axis 0, which alone is
// shared out. c10d moves the elements all the same, to other places than meant.
std::string shape_mismatch(const Contribution& a, int world_a, const Contribution& b, int world_b);

}  // namespace attncheck::sim

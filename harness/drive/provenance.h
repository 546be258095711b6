#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/case.h"
#include "properties/lab.h"

namespace attncheck {

// What became of one contribution: that of the queries of one rank to the gradient of one key
// shard, or that of one key shard to the output of the queries of one rank.
struct Contribution {
  enum class Fate {
    none,       // the reference has none: masked, or below the bound
    ok,         // once, at its owner
    missing,    // nowhere
    doubled,    // twice at its owner
    delivered,  // at another rank, or at another one as well
    wrong,      // a value that no sum of contributions explains
  };
  Fate fate = Fate::ok;
  std::vector<int> at;  // the ranks where it was found; a rank stands twice for a doubled one

  bool fault() const { return fate != Fate::none && fate != Fate::ok; }
};

// By query rank, then key shard.
using ContributionMatrix = std::vector<std::vector<Contribution>>;

// Whether the sum over ranks of a gradient's shards, or one rank's dq, is that of the reference.
struct ValueCheck {
  std::string name;  // "dK", "dV", "dQ of rank 1"
  bool ok = true;
  double error = 0, bound = 0;
};

// Where every contribution of a case ended up (DESIGN 4.4).
struct Provenance {
  Case case_;
  std::optional<ContributionMatrix> out, dk, dv;  // absent where it could not be measured
  // Which key shards' parts each query rank's dq has. Nothing is delivered: a rank makes its own.
  std::optional<ContributionMatrix> dq_parts;
  std::vector<ValueCheck> sums, dq;
  // In which step of the ring something goes wrong first, see ring_steps.h; empty where nothing
  // does, or where there is no ring.
  std::string first_wrong_step;
  std::vector<std::string> notes;  // errors of ranks, and what could not be measured
  bool ran = true;                 // false: a rank ended in an error

  bool fault() const;
};

// Runs the case once for each query rank with a cotangent there alone, once with V one-hot by key
// shard, and once as it is. The case is one that its subject, an attention, supports.
Provenance explain(const Case& c, Lab& lab);

// At most 100 columns: the matrices with a legend, the sums, and what they say together.
std::string provenance_text(const Provenance& provenance);

}  // namespace attncheck

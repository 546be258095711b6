#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "impl/allgather_kv/gather_call.h"
#include "impl/contract/backend.h"
#include "impl/contract/method.h"
#include "impl/ring/ring_call.h"
#include "impl/ulysses/head_exchange.h"
#include "mutants/parents.h"
#include "mutants/systematic/wire.h"

namespace attncheck {

// The passes in which an operator is at work; in the other one the method stays right.
enum class Phase { forward, backward, both };

constexpr const char* to_text(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::both:
      break;
  }
  return "both";
}

// What an operator does at the seams of a method that otherwise runs as it is. What is empty stays
// right. All of it is asked anew for every call and every pass, so that what counts starts at 0.
struct Changes {
  std::function<Backend(const Backend& right)> backend;
  // Of the groups in which keys go round, and heads are traded for tokens.
  std::function<std::shared_ptr<Wire>()> ring_wire, ulysses_wire;
  std::function<void(MeshGroups&)> groups;
  std::function<void(RingCall&)> ring;                         // ring, unified
  std::function<void(GatherCall&)> gather;                     // allgather_kv
  std::function<void(HeadTrades&, const MeshGroups&)> trades;  // ulysses, unified
  std::function<PassForward(PassForward right)> forward;
  std::function<PassBackward(PassBackward right, const Mesh&)> backward;
};

// Some of the methods to which an operator is applied, in each of these phases.
struct Reach {
  std::vector<Method> methods;
  std::vector<Phase> phases;
  std::string smallest;  // words of a case; its mesh is one of `ranks` ranks of the method
  int ranks = 1;
  // Empty: output_matches_reference, or in backward alone gradients_match_reference.
  std::string property = {};
  std::string equivalent = {};  // see Mutant
};

// A way to go wrong that does not depend on what is computed where.
struct Operator {
  std::string name;   // "drops_a_wait"
  std::string fault;  // what is wrong, in a line
  // Words of a case on which it does no harm, on two ranks of a method unless they begin with a
  // mesh; empty: there is none.
  std::string right;
  Changes changes;
  std::vector<Reach> reaches;
};

}  // namespace attncheck

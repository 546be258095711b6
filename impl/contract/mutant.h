#pragma once

#include <string>
#include <variant>

#include "impl/contract/backend.h"
#include "impl/contract/collective.h"
#include "impl/contract/implementation.h"
#include "impl/contract/merge.h"
#include "impl/contract/model.h"
#include "problem/case.h"

namespace attncheck {

// What a mutant is a wrong version of. A backend is judged alone, as impl=local is; one whose fault
// shows in a ring comes as an implementation that carries it.
using Subject = std::variant<Implementation, Collective, Merge, Model, Backend>;

// A subject that is wrong on purpose, the way a real one once was. `impl=mutant:NAME` in a case.
struct Mutant {
  std::string name;      // "A10", or "house_..." for one of the house
  std::string source;    // where the fault was seen
  std::string fault;     // what is wrong, in a line
  std::string property;  // the property that must catch it
  Case smallest;  // the smallest case that shows it; its backend and dtype are the mutant's own
  Subject subject;
  bool crashes = false;  // may take the rank's process down: needs a transport of processes
};

}  // namespace attncheck

#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

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

// What a mutant's fault may depend on, beside the case.
struct Platform {
  BackendContract contract;  // of the backend that it runs on
};

// A subject that is wrong on purpose, the way a real one once was. `impl=mutant:NAME` in a case.
struct Mutant {
  std::string name;      // "A10", "house_..." for one of the house, "sys_..." for a systematic one
  std::string source;    // where the fault was seen
  std::string fault;     // what is wrong, in a line
  std::string property;  // the property that must catch it
  Case smallest;  // the smallest case that shows it; its backend and dtype are the mutant's own
  Subject subject;
  // Backends on which it is tried beside that of `smallest`, for a fault that shows on some alone.
  std::vector<std::string> backends = {};
  // Whether it is wrong there; empty: everywhere. Where it is not, no property may fail.
  std::function<bool(const Platform&)> wrong_here = nullptr;
  bool crashes = false;  // may take the rank's process down: needs a transport of processes
  // Made by an operator, as one of many: it is to be caught, and its case not to be shrunk.
  bool systematic = false;
  // Why no property can tell it from the right one, where that was shown; empty: one can. Then none
  // may fail, `property` among them.
  std::string equivalent = {};
};

}  // namespace attncheck

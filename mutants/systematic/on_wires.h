#pragma once

#include <functional>
#include <memory>

#include "mutants/systematic/operator.h"

namespace attncheck {

// The same wire on every group that a method talks in: a fault of the exchanges that it shares.
inline Changes on_wires(const std::function<std::shared_ptr<Wire>()>& make) {
  Changes changes;
  changes.ring_wire = changes.ulysses_wire = make;
  return changes;
}

// On a ring's alone.
inline Changes on_ring_wire(const std::function<std::shared_ptr<Wire>()>& make) {
  Changes changes;
  changes.ring_wire = make;
  return changes;
}

}  // namespace attncheck

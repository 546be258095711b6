#pragma once

#include <vector>

#include <sched.h>

namespace attncheck::sim {

// The cores that this process may run on, at least one.
std::vector<int> granted_cores();

// The core that the calling thread runs on now.
int current_core();

// Keeps the calling thread on one core for the life of the object, then gives it back the cores it
// had. Placement is a matter of speed alone: a core that the machine does not grant is ignored.
class CorePin {
 public:
  explicit CorePin(int core);
  ~CorePin();
  CorePin(const CorePin&) = delete;
  CorePin& operator=(const CorePin&) = delete;

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

}  // namespace attncheck::sim

#pragma once

#include <atomic>
#include <cstdint>

namespace attncheck::sim {

// A door for one thread. `open` lets it through once, also when it comes later; what was written
// before `open` is seen after `pass`.
class Gate {
 public:
  void open();
  void pass();

 private:
  std::atomic<uint32_t> open_{0};
};

}  // namespace attncheck::sim

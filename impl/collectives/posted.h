#pragma once

#include <functional>
#include <utility>

namespace attncheck {

// An exchange on its way. `wait` returns what arrived; it is called once, and the exchange counts
// as done only then. Every rank of the group must post in the same order.
template <typename T>
class Posted {
 public:
  explicit Posted(std::function<T()> finish) : finish_(std::move(finish)) {}
  T wait() { return std::exchange(finish_, nullptr)(); }

 private:
  std::function<T()> finish_;
};

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <optional>

namespace attncheck {

// While it lives, CPU memory that this thread allocates through LibTorch holds `byte` everywhere
// before anybody writes it: 0xFF is NaN in every floating dtype and -1 in every integer one.
// Without a byte it does nothing. Other threads are not touched, so that two lanes do not disturb
// each other.
//
// Made with a CPU allocator that stands in front of LibTorch's own from the first use on.
class PoisonScope {
 public:
  explicit PoisonScope(std::optional<uint8_t> byte);
  ~PoisonScope();
  PoisonScope(const PoisonScope&) = delete;
  PoisonScope& operator=(const PoisonScope&) = delete;

 private:
  std::optional<uint8_t> before_;
};

}  // namespace attncheck

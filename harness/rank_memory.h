#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace attncheck {

// While it lives, CPU memory that this thread's tensors are given is filled with a byte, so that a
// result that depends on uninitialised memory depends on the byte. 0xFF is a NaN in every floating
// dtype, 0x5A an ordinary number. Nothing is filled without a byte, nor through other threads.
// A CPU allocator that stands in front of LibTorch's own, from the first use on, does it.
class PoisonScope {
 public:
  explicit PoisonScope(std::optional<uint8_t> byte);
  ~PoisonScope();
  PoisonScope(const PoisonScope&) = delete;
  PoisonScope& operator=(const PoisonScope&) = delete;

 private:
  std::optional<uint8_t> before_;
};

struct HeldMemory;

// While it lives, counts the CPU memory that this thread's tensors are given, until it is freed, on
// whatever thread. Does nothing if it is not `wanted`.
class MemoryMeter {
 public:
  explicit MemoryMeter(bool wanted);
  ~MemoryMeter();
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  // The most bytes that were held at a time; nothing if it was not wanted.
  std::optional<int64_t> peak_bytes() const;

 private:
  std::shared_ptr<HeldMemory> held_, before_;
};

}  // namespace attncheck

#include "harness/rank_memory.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace attncheck {

// Freed from any thread, and also after the meter has ended.
struct HeldMemory {
  std::atomic<int64_t> bytes{0}, peak{0};

  void take(int64_t more) {
    const int64_t now = bytes += more;
    if (now > peak) peak = now;  // one thread takes
  }
};

namespace {

thread_local std::optional<uint8_t> fill_byte;
thread_local std::shared_ptr<HeldMemory> metered;

constexpr uint8_t kInFront = 100;  // above the priority of LibTorch's own allocator

// Memory whose end is counted.
struct Counted {
  c10::DataPtr data;
  std::shared_ptr<HeldMemory> held;
  int64_t bytes;
};

void give_back(void* context) {
  const std::unique_ptr<Counted> counted(static_cast<Counted*>(context));
  counted->held->bytes -= counted->bytes;
}

c10::DataPtr counted(c10::DataPtr data, size_t bytes) {
  void* const start = data.get();
  const c10::Device device = data.device();
  metered->take(static_cast<int64_t>(bytes));
  auto* context = new Counted{std::move(data), metered, static_cast<int64_t>(bytes)};
  return {start, context, give_back, device};
}

class FrontAllocator final : public c10::Allocator {
 public:
  explicit FrontAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = inner_->allocate(bytes);
    if (fill_byte && bytes > 0) std::memset(data.get(), *fill_byte, bytes);
    return metered && bytes > 0 ? counted(std::move(data), bytes) : std::move(data);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner_->raw_deleter(); }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    inner_->copy_data(to, from, bytes);
  }

 private:
  c10::Allocator* inner_;
};

// Never destroyed: storages made with it may outlive every static of ours.
void stand_in_front() {
  static std::once_flag once;
  std::call_once(
      once, [] { c10::SetCPUAllocator(new FrontAllocator(c10::GetCPUAllocator()), kInFront); });
}

}  // namespace

PoisonScope::PoisonScope(std::optional<uint8_t> byte) : before_(fill_byte) {
  if (byte) stand_in_front();
  fill_byte = byte;
}

PoisonScope::~PoisonScope() {
  fill_byte = before_;
}

MemoryMeter::MemoryMeter(bool wanted) : before_(metered) {
  if (!wanted) return;
  stand_in_front();
  metered = held_ = std::make_shared<HeldMemory>();
}

MemoryMeter::~MemoryMeter() {
  metered = before_;
}

std::optional<int64_t> MemoryMeter::peak_bytes() const {
  return held_ ? std::optional<int64_t>(held_->peak) : std::nullopt;
}

}  // namespace attncheck

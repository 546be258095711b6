#include "harness/rank_memory.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>
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

// Memory that was taken under a meter, by its address: LibTorch also frees by the address alone
// (raw_deallocate), so there is no place for it beside the data.
class CountedMemory {
 public:
  void add(void* data, std::shared_ptr<HeldMemory> held, int64_t bytes) {
    held->take(bytes);
    const std::lock_guard lock(mutex_);
    entries_[data] = {std::move(held), bytes};
    count_ = entries_.size();
  }

  void remove(void* data) {
    if (count_ == 0) return;
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(data);
    if (found == entries_.end()) return;
    found->second.held->bytes -= found->second.bytes;
    entries_.erase(found);
    count_ = entries_.size();
  }

 private:
  struct Entry {
    std::shared_ptr<HeldMemory> held;
    int64_t bytes = 0;
  };
  std::mutex mutex_;
  std::unordered_map<void*, Entry> entries_;
  std::atomic<size_t> count_{0};
};

// Never destroyed, as what it counts.
CountedMemory& counted_memory() {
  static CountedMemory* const counted = new CountedMemory;
  return *counted;
}

std::atomic<c10::DeleterFnPtr> inner_deleter{nullptr};

void give_back(void* data) {
  counted_memory().remove(data);
  inner_deleter.load()(data);
}

class FrontAllocator final : public c10::Allocator {
 public:
  explicit FrontAllocator(c10::Allocator* inner) : inner_(inner) {
    inner_deleter = inner->raw_deleter();
  }

  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = inner_->allocate(bytes);
    if (bytes == 0) return data;
    if (fill_byte) std::memset(data.get(), *fill_byte, bytes);
    if (!data.compare_exchange_deleter(inner_deleter, give_back)) return data;
    if (metered) counted_memory().add(data.get(), metered, static_cast<int64_t>(bytes));
    return data;
  }
  c10::DeleterFnPtr raw_deleter() const override { return give_back; }
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

#include "harness/poison.h"

#include <cstring>
#include <mutex>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace attncheck {
namespace {

thread_local std::optional<uint8_t> fill_byte;

constexpr uint8_t kInFront = 100;  // above the priority of LibTorch's own allocator

class PoisonAllocator final : public c10::Allocator {
 public:
  explicit PoisonAllocator(c10::Allocator* inner) : inner_(inner) {}

  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = inner_->allocate(bytes);
    if (fill_byte && bytes > 0) std::memset(data.get(), *fill_byte, bytes);
    return data;
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
      once, [] { c10::SetCPUAllocator(new PoisonAllocator(c10::GetCPUAllocator()), kInFront); });
}

}  // namespace

PoisonScope::PoisonScope(std::optional<uint8_t> byte) : before_(fill_byte) {
  if (byte) stand_in_front();
  fill_byte = byte;
}

PoisonScope::~PoisonScope() {
  fill_byte = before_;
}

}  // namespace attncheck

#include "sim/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace attncheck::sim {

namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kSmallest = 64;
// What is kept beyond this goes back to the system.
constexpr size_t kMaxKeptBytes = size_t{256} << 20;

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : pool_(std::move(other.pool_)),
      data_(std::exchange(other.data_, nullptr)),
      size_class_(other.size_class_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(size_class_, other.size_class_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) pool_->give_back(data_, size_class_);
}

BufferPool::~BufferPool() {
  for (const auto& list : free_) {
    for (std::byte* data : list) ::operator delete(data, kAlignment);
  }
}

Buffer BufferPool::take(size_t bytes) {
  const size_t rounded = std::bit_ceil(std::max(bytes, kSmallest));
  const int size_class = std::countr_zero(rounded);
  auto& list = free_[size_class];
  if (list.empty()) {
    auto* data = static_cast<std::byte*>(::operator new(rounded, kAlignment));
    return Buffer(shared_from_this(), data, size_class);
  }
  std::byte* data = list.back();
  list.pop_back();
  kept_bytes_ -= rounded;
  return Buffer(shared_from_this(), data, size_class);
}

void BufferPool::give_back(std::byte* data, int size_class) {
  const size_t bytes = size_t{1} << size_class;
  if (kept_bytes_ + bytes > kMaxKeptBytes) {
    ::operator delete(data, kAlignment);
    return;
  }
  kept_bytes_ += bytes;
  free_[size_class].push_back(data);
}

}  // namespace attncheck::sim

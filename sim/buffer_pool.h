#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace attncheck::sim {

class BufferPool;

// Bytes lent by a pool, given back when the object dies. Aligned to 64 bytes, not initialised.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  std::byte* data() const { return data_; }

 private:
  friend class BufferPool;
  Buffer(std::shared_ptr<BufferPool> pool, std::byte* data, int size_class)
      : pool_(std::move(pool)), data_(data), size_class_(size_class) {}

  std::shared_ptr<BufferPool> pool_;
  std::byte* data_ = nullptr;
  int size_class_ = 0;
};

// Keeps the buffers of messages that were delivered for the next ones, by powers of two. Not
// synchronised: it belongs to whoever holds the baton.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  Buffer take(size_t bytes);

 private:
  friend class Buffer;
  void give_back(std::byte* data, int size_class);

  std::vector<std::byte*> free_[64];
  size_t kept_bytes_ = 0;
};

}  // namespace attncheck::sim

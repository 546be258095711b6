#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

namespace attncheck {

// Values as bytes that cross a process border of one machine, in its own byte order.
class ByteWriter {
 public:
  void number(int64_t value);
  void text(const std::string& value);
  void tensor(const at::Tensor& value);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order. Everything throws c10::Error, with `what` the
// bytes should have been, where they cannot be that.
class ByteReader {
 public:
  // `bytes` outlive the reader.
  ByteReader(const std::string& bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  int64_t number();
  int64_t number(int64_t least, int64_t most);
  std::string text();
  at::Tensor tensor();
  // Nothing is left.
  void end() const;

 private:
  int64_t rest() const { return static_cast<int64_t>(bytes_.size() - place_); }
  const char* take(int64_t size);

  const std::string& bytes_;
  std::string what_;
  size_t place_ = 0;
};

}  // namespace attncheck

#include "properties/bytes.h"

#include <cstring>
#include <vector>

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

namespace attncheck {

void ByteWriter::number(int64_t value) {
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void ByteWriter::text(const std::string& value) {
  number(static_cast<int64_t>(value.size()));
  bytes_ += value;
}

void ByteWriter::tensor(const at::Tensor& value) {
  const at::Tensor whole = value.contiguous();
  number(static_cast<int64_t>(whole.scalar_type()));
  number(whole.dim());
  for (int64_t size : whole.sizes()) number(size);
  bytes_.append(static_cast<const char*>(whole.data_ptr()), whole.nbytes());
}

int64_t ByteReader::number() {
  int64_t value = 0;
  std::memcpy(&value, take(sizeof value), sizeof value);
  return value;
}

int64_t ByteReader::number(int64_t least, int64_t most) {
  const int64_t value = number();
  TORCH_CHECK(value >= least && value <= most, "no ", what_, ": number ", value, " at byte ",
              place_, " is not in ", least, "..", most);
  return value;
}

std::string ByteReader::text() {
  const int64_t size = number(0, rest());
  return std::string(take(size), size);
}

at::Tensor ByteReader::tensor() {
  const auto dtype = static_cast<at::ScalarType>(number(0, 127));
  std::vector<int64_t> sizes(number(0, 64));
  for (int64_t& size : sizes) size = number(0, int64_t{1} << 40);
  at::Tensor value = at::empty(sizes, dtype);
  TORCH_CHECK(static_cast<int64_t>(value.nbytes()) <= rest(), "no ", what_, ": a tensor of ",
              value.nbytes(), " bytes, ", rest(), " are left");
  if (value.nbytes() > 0) std::memcpy(value.data_ptr(), take(value.nbytes()), value.nbytes());
  return value;
}

void ByteReader::end() const {
  TORCH_CHECK(rest() == 0, "no ", what_, ": ", rest(), " bytes too many");
}

const char* ByteReader::take(int64_t size) {
  TORCH_CHECK(size <= rest(), "no ", what_, ": ", size, " bytes wanted, ", rest(), " are left");
  const char* at = bytes_.data() + place_;
  place_ += size;
  return at;
}

}  // namespace attncheck

#include "sim/poison.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace attncheck::sim {

namespace {

// All ones are a NaN in every floating dtype but those that have a single one, minus zero.
uint8_t poison_byte(c10::ScalarType dtype) {
  if (dtype == at::kFloat8_e4m3fnuz || dtype == at::kFloat8_e5m2fnuz) return 0x80;
  return c10::isFloatingType(dtype) || c10::isComplexType(dtype) ? 0xFF : 0xA5;
}

}  // namespace

void poison(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return;
  std::memset(tensor.mutable_data_ptr(), poison_byte(tensor.scalar_type()), tensor.nbytes());
}

bool is_poison(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return true;
  const auto* bytes = static_cast<const uint8_t*>(tensor.const_data_ptr());
  const uint8_t expected = poison_byte(tensor.scalar_type());
  return std::all_of(bytes, bytes + tensor.nbytes(),
                     [expected](uint8_t byte) { return byte == expected; });
}

}  // namespace attncheck::sim

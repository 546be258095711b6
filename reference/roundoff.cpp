#include "reference/roundoff.h"

#include <cmath>

#include <c10/util/Exception.h>

namespace attncheck::reference {
namespace {

struct Format {
  int significand_bits;
  int lowest_exponent;  // of a normal number
};

Format format_of(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Double:
      return {53, -1022};
    case c10::ScalarType::Float:
      return {24, -126};
    case c10::ScalarType::Half:
      return {11, -14};
    case c10::ScalarType::BFloat16:
      return {8, -126};
    default:
      TORCH_CHECK(false, "no error bounds for ", dtype,
                  ": expected float64, float32, float16 or bfloat16");
  }
}

}  // namespace

double unit_roundoff(c10::ScalarType dtype) {
  return std::ldexp(1.0, -format_of(dtype).significand_bits);
}

double smallest_normal(c10::ScalarType dtype) {
  return std::ldexp(1.0, format_of(dtype).lowest_exponent);
}

double smallest_subnormal(c10::ScalarType dtype) {
  return 2 * unit_roundoff(dtype) * smallest_normal(dtype);
}

c10::ScalarType accumulation_type(c10::ScalarType dtype) {
  return dtype == c10::ScalarType::Double ? dtype : c10::ScalarType::Float;
}

}  // namespace attncheck::reference

#include "sim/reduction.h"

#include <algorithm>

#include <c10/util/Exception.h>

namespace attncheck::sim {

namespace {

template <typename Body>
bool with_float_type(c10::ScalarType dtype, const Body& body) {
  switch (dtype) {
    case c10::ScalarType::Double:
      body(double{});
      return true;
    case c10::ScalarType::Float:
      body(float{});
      return true;
    case c10::ScalarType::BFloat16:
      body(c10::BFloat16{});
      return true;
    case c10::ScalarType::Half:
      body(c10::Half{});
      return true;
    default:
      return false;
  }
}

template <typename Body>
bool with_type(c10::ScalarType dtype, const Body& body) {
  switch (dtype) {
    case c10::ScalarType::Byte:
      body(uint8_t{});
      return true;
    case c10::ScalarType::Char:
      body(int8_t{});
      return true;
    case c10::ScalarType::Short:
      body(int16_t{});
      return true;
    case c10::ScalarType::Int:
      body(int32_t{});
      return true;
    case c10::ScalarType::Long:
      body(int64_t{});
      return true;
    case c10::ScalarType::Bool:
      body(bool{});
      return true;
    default:
      return with_float_type(dtype, body);
  }
}

template <typename T, typename Combine>
void combine_all(void* accumulated, const void* next, int64_t count, Combine combine) {
  T* into = static_cast<T*>(accumulated);
  const T* from = static_cast<const T*>(next);
  for (int64_t i = 0; i < count; ++i) into[i] = static_cast<T>(combine(into[i], from[i]));
}

template <typename T>
void reduce_typed(Reduction reduction, void* into, const void* from, int64_t count) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kAverage:
      return combine_all<T>(into, from, count, [](T a, T b) { return a + b; });
    case Reduction::kProduct:
      return combine_all<T>(into, from, count, [](T a, T b) { return a * b; });
    case Reduction::kMin:
      return combine_all<T>(into, from, count, [](T a, T b) { return std::min(a, b); });
    case Reduction::kMax:
      return combine_all<T>(into, from, count, [](T a, T b) { return std::max(a, b); });
    case Reduction::kNone:
      break;
  }
  TORCH_INTERNAL_ASSERT(false, "no reduction was asked for");
}

}  // namespace

const char* name_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kNone:
      return "none";
    case Reduction::kSum:
      return "SUM";
    case Reduction::kAverage:
      return "AVG";
    case Reduction::kProduct:
      return "PRODUCT";
    case Reduction::kMin:
      return "MIN";
    case Reduction::kMax:
      return "MAX";
  }
  return "unknown";
}

const char* why_unsupported(Reduction reduction, c10::ScalarType dtype) {
  const auto ignore = [](auto) {};
  if (!with_type(dtype, ignore)) return "this dtype is not reduced";
  if (reduction == Reduction::kAverage && !with_float_type(dtype, ignore)) {
    return "an average needs a floating dtype";
  }
  return nullptr;
}

void reduce_into(Reduction reduction, c10::ScalarType dtype, void* accumulated, const void* next,
                 int64_t count) {
  with_type(dtype, [&](auto example) {
    reduce_typed<decltype(example)>(reduction, accumulated, next, count);
  });
}

void divide(c10::ScalarType dtype, void* accumulated, int64_t count, int by) {
  with_float_type(dtype, [&](auto example) {
    using T = decltype(example);
    const T divisor = static_cast<T>(by);
    T* values = static_cast<T*>(accumulated);
    for (int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(values[i] / divisor);
  });
}

}  // namespace attncheck::sim

#pragma once

#include <cstdint>

#include <c10/core/ScalarType.h>

namespace attncheck::sim {

enum class Reduction { kNone, kSum, kAverage, kProduct, kMin, kMax };

const char* name_of(Reduction reduction);

// What a reduction cannot be done on, or nullptr: averages of integers and bool, and any reduction
// of a dtype other than the floating ones of 16 to 64 bits, the integers of 8 to 64 bits and bool.
const char* why_unsupported(Reduction reduction, c10::ScalarType dtype);

// accumulated[i] = reduction(accumulated[i], next[i]) for i < count, rounded to `dtype` every time,
// as a ring over a network does. kAverage adds up; `divide` ends it.
void reduce_into(Reduction reduction, c10::ScalarType dtype, void* accumulated, const void* next,
                 int64_t count);

// accumulated[i] /= by, for the floating dtypes.
void divide(c10::ScalarType dtype, void* accumulated, int64_t count, int by);

}  // namespace attncheck::sim

#pragma once

#include <cstdint>
#include <functional>

#include "properties/request.h"

namespace attncheck {

// The streams of `Element`; a number stands for good, so that a case keeps its data.
enum TensorTag : uint64_t {
  kQ,
  kK,
  kV,
  kDout,
  kDlse,
  kGridA,
  kGridB,
  kInput,
  kCotangent,
  kValueA,
  kValueB,
  kGridKey,
  kShift,
  kOrder,
  kCells,
  kPartialOut,
  kPartialLse,
  kMask,
  kKeyBlocks
};

// What stands at each place of the whole: of the element b of the batch (those that a value edit
// adds included), position s, head h and component d.
using Value = std::function<double(int64_t b, int64_t s, int64_t h, int64_t d)>;

// The data of the request's case with the request's edits, but for the places of the keys: see
// key_sources.
Value q_value(const Request& request);
Value k_value(const Request& request);
Value v_value(const Request& request);
Value dout_value(const Request& request);
Value dlse_value(const Request& request);

}  // namespace attncheck

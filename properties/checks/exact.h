#pragma once

#include <functional>
#include <optional>
#include <string>

#include "properties/observation.h"
#include "properties/verdict.h"

namespace attncheck {

// What the element at `place` (row by row) of a rank's tensor should have been; nothing when
// `value` is right.
using WrongElement =
    std::function<std::optional<std::string>(int rank, int64_t place, double value)>;

// Judges every element of the tensor on the ranks that have it. Fail names the first wrong one:
// "TENSOR of rank 1 at (0, 2, 1) COMPLAINT: ...". not_run when there is no element.
Verdict every_element(const Observation& observation, const std::string& tensor,
                      const std::string& complaint, const WrongElement& wrong);

}  // namespace attncheck

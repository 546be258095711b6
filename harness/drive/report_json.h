#pragma once

#include <string>

#include "harness/drive/check_report.h"

namespace attncheck {

// For programs (DESIGN section 6). `case` and `evidence` are null where there is none; a number
// that is infinite or NaN is null.
std::string report_json(const CheckReport& report);

}  // namespace attncheck

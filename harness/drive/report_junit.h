#pragma once

#include <string>

#include "harness/drive/check_report.h"

namespace attncheck {

// For CI systems: JUnit's XML. A test suite for each stream, a test case for each property; what
// did not apply, was not run or is known is skipped with the reason; why a stream could not be
// checked is an error of its suite.
std::string report_junit(const CheckReport& report);

}  // namespace attncheck

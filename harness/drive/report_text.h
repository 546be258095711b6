#pragma once

#include <string>

#include "harness/drive/check_report.h"

namespace attncheck {

// For people: a line per stream, then every failure with its shrunk case, what was expected and
// what came, where, by how much, and the line that runs it again; then what could not be checked.
std::string report_text(const CheckReport& report);

// One failure as report_text prints it.
std::string failure_text(const std::string& stream, const PropertyResult& result);

}  // namespace attncheck

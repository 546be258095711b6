#pragma once

#include <string>

#include "harness/drive/json_parts.h"

namespace attncheck {

// The page with its data, which cannot end the element that it stands in.
std::string page_with(const std::string& title, const ReportJson& data);

}  // namespace attncheck

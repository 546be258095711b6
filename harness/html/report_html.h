#pragma once

#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/html/failure_picture.h"

namespace attncheck {

// The report as one page that needs nothing else: the JSON report, the pictures, and a script that
// shows them. Every word of theirs is shown as text, whatever is in it.
std::string report_html(const CheckReport& report, const std::vector<FailurePicture>& pictures);

}  // namespace attncheck

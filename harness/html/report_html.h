#pragma once

#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/html/failure_picture.h"
#include "harness/timeline/trace.h"

namespace attncheck {

// The report as one page that needs nothing else: the JSON report, the pictures, and a script that
// shows them. Every word of theirs is shown as text, whatever is in it.
std::string report_html(const CheckReport& report, const std::vector<FailurePicture>& pictures,
                        const std::vector<timeline::Trace>& timelines = {});

// A page of one timeline, with the versions of the program and of its LibTorch.
std::string timeline_html(const timeline::Trace& trace, const std::string& version,
                          const std::string& libtorch);

// A page of the JSON report of a bench: it says which.
std::string bench_html(const std::string& json);

}  // namespace attncheck

#pragma once

#include <vector>

#include "cli/commands.h"
#include "harness/drive/check_report.h"
#include "harness/timeline/trace.h"

namespace attncheck::cli {

// What a report's implementations do when, of one case each on the largest of the meshes that were
// checked: predicted of the built-in methods on sim; on gloo measured, by ranks of their own, where
// a stream of the implementation had no failure. One whose ranks are lost, or that throws, is left
// out: a picture is no verdict.
std::vector<timeline::Trace> report_timelines(const CheckReport& report,
                                              const RankArguments& ranks);

}  // namespace attncheck::cli

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/report_file.h"
#include "cli/scale_question.h"
#include "cli/usage.h"
#include "harness/scale/trace.h"
#include "problem/case_text.h"

namespace attncheck::cli {

int timeline_command(const ScaleArguments& arguments) {
  if (arguments.case_text.empty()) {
    throw UsageError(
        "bench timeline: --case is missing, e.g. --case 'impl=unified mesh=2x2 q=4096 h=8 d=64'");
  }
  const Case c = case_argument(arguments.case_text);
  const scale::Machine machine = machine_of(arguments);
  const Registry& registry = program_registry();
  const Support traced = scale::can_trace(registry, c);
  if (!traced) throw UsageError("--case: no timeline: " + traced.reason);
  ReportFile file("--trace", arguments.trace);
  const scale::Trace trace = scale::trace_of(registry, c, machine);
  fmt::print("{}", scale::trace_text(trace));
  if (!arguments.trace.empty()) file.write(scale::trace_json(trace));
  return kHeld;
}

}  // namespace attncheck::cli

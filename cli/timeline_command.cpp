#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/report_file.h"
#include "cli/scale_question.h"
#include "cli/session.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/html/report_html.h"
#include "harness/process_transport.h"
#include "harness/timeline/measured.h"
#include "harness/timeline/predicted.h"
#include "harness/timeline/trace.h"
#include "problem/case_text.h"

namespace attncheck::cli {
namespace {

constexpr double kTimeoutOfCase = 120;  // seconds

void require_traced(const Support& traced) {
  if (!traced) throw UsageError("--case: no timeline: " + traced.reason);
}

timeline::Trace measured_trace(const Case& c, const MethodsArguments& asked) {
  RankArguments ranks = asked.ranks;
  ranks.timeout = asked.rank_timeout.value_or(kTimeoutOfCase);
  require_traced(timeline::can_measure(program_registry(), c));
  ProcessTransport transport(process_options(c.transport, ranks, ""));
  require_traced(transport.supports(c.mesh));
  return timeline::measured(transport, c);
}

timeline::Trace trace_of(const Case& c, const BenchArguments& arguments) {
  if (c.transport == "gloo") return measured_trace(c, arguments.methods);
  if (c.transport != "sim") {
    throw UsageError("--case: transport=" + c.transport +
                     " has no timeline: expected sim (predicted) or gloo (measured)");
  }
  const Registry& registry = program_registry();
  require_traced(timeline::can_predict(registry, c));
  return timeline::predicted(registry, c, machine_of(arguments.scale));
}

}  // namespace

int timeline_command(const BenchArguments& arguments) {
  const ScaleArguments& asked = arguments.scale;
  if (asked.case_text.empty()) {
    throw UsageError(
        "bench timeline: --case is missing, e.g. --case 'impl=unified mesh=2x2 q=4096 h=8 d=64'");
  }
  const Case c = case_argument(asked.case_text);
  ReportFile file("--trace", asked.trace), page("--html", asked.html);
  const timeline::Trace trace = trace_of(c, arguments);
  fmt::print("attncheck {}, LibTorch {}\n{}", attncheck_version(), libtorch_version(),
             timeline::trace_text(trace));
  if (!asked.trace.empty()) file.write(timeline::trace_json(trace));
  page.write(timeline_html(trace, attncheck_version(), libtorch_version()));
  return kHeld;
}

}  // namespace attncheck::cli

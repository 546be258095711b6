#include <fmt/format.h>

#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/progress.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/version.h"
#include "harness/drive/report_json.h"
#include "harness/drive/report_text.h"

namespace attncheck::cli {
namespace {

CheckOptions options_of(const CheckArguments& arguments, Clock::time_point start, RunLab& lab,
                        ProgressLine& progress) {
  CheckOptions options;
  options.seed = arguments.seed;
  options.forget = [&lab] { lab.forget(); };
  options.progress = [&progress](const Progress& p) { progress(p); };
  if (arguments.time_limit) {
    const std::chrono::duration<double> limit(*arguments.time_limit);
    options.deadline = start + std::chrono::duration_cast<Clock::duration>(limit);
  }
  return options;
}

CheckReport run_plan(const CheckPlan& plan, const CheckArguments& arguments, RunLab& lab) {
  const auto start = Clock::now();
  ProgressLine progress(arguments.quiet);
  progress.set_total_streams(static_cast<int64_t>(plan.streams.size()));
  CheckOptions options = options_of(arguments, start, lab, progress);
  CheckReport report{attncheck_version(), libtorch_version(), arguments.seed, {}};
  for (const PlannedStream& planned : plan.streams) {
    progress.begin_stream();
    options.cases = planned.cases;
    report.streams.push_back(check_stream(planned.spec, plan.properties, lab, options));
  }
  report.runs = lab.counts().runs;
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  const Registry& registry = built_in();
  RunLab lab = make_lab(registry);
  const CheckPlan plan = make_plan(arguments, registry, lab);
  const ReportFile file(arguments.json);
  const CheckReport report = run_plan(plan, arguments, lab);
  fmt::print("{}", report_text(report));
  file.write(report_json(report));
  return report.exit_code();
}

}  // namespace attncheck::cli

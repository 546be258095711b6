#include <algorithm>
#include <chrono>
#include <filesystem>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/report_file.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/bench/measurements.h"
#include "harness/html/report_html.h"
#include "sim/affinity.h"

namespace attncheck::cli {
namespace {

std::vector<bench::Measurement> chosen_measurements(const std::vector<std::string>& given) {
  std::vector<std::string> known;
  for (const bench::Measurement& m : bench::all_measurements()) known.push_back(m.budget.name);
  const std::vector<std::string> names = chosen("budget", given, known, known);
  std::vector<bench::Measurement> measurements;
  for (bench::Measurement& m : bench::all_measurements()) {
    const bool wanted = std::find(names.begin(), names.end(), m.budget.name) != names.end();
    if (wanted) measurements.push_back(std::move(m));
  }
  return measurements;
}

bench::BenchSetup setup_of(const BenchArguments& arguments) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  return {.registry = program_registry(),
          .rank_command = {program, "rank"},
          .repetitions = arguments.repetitions};
}

}  // namespace

int bench_command(const BenchArguments& arguments) {
  require_apart({{"--json", arguments.json},
                 {"--html", arguments.scale.html},
                 {"--trace", arguments.scale.trace}});
  if (arguments.what == "scale") {
    return scale_command(arguments.scale, arguments.quiet, arguments.json);
  }
  if (arguments.what == "timeline") return timeline_command(arguments);
  if (arguments.what == "methods" || arguments.what == "peers") return methods_command(arguments);
  const std::vector<bench::Measurement> measurements = chosen_measurements(arguments.budgets);
  ReportFile file("--json", arguments.json), page("--html", arguments.scale.html);
  at::set_num_threads(1);
  const auto start = std::chrono::steady_clock::now();
  bench::BenchReport report{attncheck_version(),
                            libtorch_version(),
                            static_cast<int>(sim::granted_cores().size()),
                            {},
                            0};
  size_t begun = 0;
  StatusLine status(arguments.quiet);
  report.measured =
      bench::measure_all(measurements, setup_of(arguments), [&](const std::string& name) {
        const std::string line = fmt::format("[{}/{}] {}", ++begun, measurements.size(), name);
        status.show(line, "measuring " + line);
      });
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  show(bench::report_text(report));
  const std::string json = bench::report_json(report);
  file.write(json);
  page.write(bench_html(json));
  return report.exit_code();
}

}  // namespace attncheck::cli

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/version.h"
#include "harness/drive/report_json.h"
#include "harness/drive/report_text.h"

namespace attncheck::cli {
namespace {

std::vector<std::string> mutant_names(const Registry& registry) {
  std::vector<std::string> names;
  for (const Mutant& mutant : registry.mutants) names.push_back(mutant.name);
  return names;
}

}  // namespace

int mutants_command(const MutantsArguments& arguments) {
  const Registry& registry = program_registry();
  const std::vector<std::string> known = mutant_names(registry);
  const std::vector<std::string> names = chosen("mutant", arguments.mutants, known, known);
  ReportFile file("--json", arguments.json);
  LaneLab lane = make_lane(registry, arguments.ranks);
  const PropertyList properties = chosen_properties(registry, {});
  HuntReport report{attncheck_version(), libtorch_version(), arguments.seed, {}};
  {
    ProgressLine progress(arguments.quiet);
    progress.set_total_streams(static_cast<int64_t>(names.size()));
    CheckOptions options;
    options.cases = arguments.cases;
    options.seed = arguments.seed;
    options.progress = [&progress](const Progress& p) { progress(p); };
    for (const std::string& name : names) {
      progress.begin_stream();
      report.hunts.push_back(hunt(*registry.mutant(name), properties, lane, options));
    }
  }
  fmt::print("{}", report_text(report));
  file.write(report_json(report));
  return report.exit_code();
}

}  // namespace attncheck::cli

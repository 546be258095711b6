#include "cli/mutants_command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/flags.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/rank_flags.h"
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
  const Registry& registry = built_in();
  const std::vector<std::string> known = mutant_names(registry);
  const std::vector<std::string> names = chosen("mutant", arguments.mutants, known, known);
  ReportFile file("--json", arguments.json);
  LaneLab lane = make_lane(registry, arguments.ranks);
  const PropertyList properties = chosen_properties({});
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

void add_mutants(CLI::App& app, MutantsArguments& a, std::function<int()>& command) {
  CLI::App* mutants = app.add_subcommand("mutants", "Which mutant is caught, and by which case");
  add_list(mutants, "--mutant", a.mutants, "Mutants, or all");
  mutants->add_option("--cases", a.cases, "Cases drawn for a mutant, at most")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  mutants->add_option("--seed", a.seed, "Draws the same cases for the same seed")
      ->check(whole_number);
  add_path(mutants, "--json", a.json, "Write the report to this file as well");
  add_ranks(mutants, a.ranks);
  mutants->add_flag("--quiet", a.quiet, "No progress on stderr");
  mutants->callback([&a, &command] { command = [&a] { return mutants_command(a); }; });
}

}  // namespace attncheck::cli

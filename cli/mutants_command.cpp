#include "cli/mutants_command.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/flags.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/rank_flags.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/version.h"
#include "harness/drive/hunt_report.h"
#include "harness/drive/matrix_report.h"
#include "harness/drive/matrix_run.h"

namespace attncheck::cli {
namespace {

constexpr int64_t kCasesOfHunt = 300;
constexpr int64_t kCasesOfMatrix = 40;

std::vector<const Mutant*> chosen_mutants(const Registry& registry,
                                          const std::vector<std::string>& given) {
  std::vector<std::string> known;
  for (const Mutant& mutant : registry.mutants) known.push_back(mutant.name);
  std::vector<const Mutant*> mutants;
  for (const std::string& name : chosen("mutant", given, known, known)) {
    mutants.push_back(registry.mutant(name));
  }
  return mutants;
}

// A line of progress that lanes share. What is shrunk has a case's name, not a mutant's.
class SharedProgress {
 public:
  SharedProgress(bool quiet, size_t mutants) : line_(quiet) {
    line_.set_total_streams(static_cast<int64_t>(mutants));
  }

  void operator()(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    if (progress.doing == "cases" && begun_.insert(progress.stream).second) line_.begin_stream();
    line_(progress);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> begun_;
  ProgressLine line_;
};

HuntReport hunted(const std::vector<const Mutant*>& mutants, const Registry& registry,
                  const MutantsArguments& arguments) {
  const std::unique_ptr<Lanes> lanes = make_lanes(registry, arguments.ranks, arguments.lanes);
  SharedProgress progress(arguments.quiet, mutants.size());
  CheckOptions options;
  options.cases = arguments.cases.value_or(kCasesOfHunt);
  options.seed = arguments.seed;
  options.progress = [&progress](const Progress& p) { progress(p); };
  return {attncheck_version(), libtorch_version(), arguments.seed,
          hunt_all(mutants, chosen_properties(registry, {}), *lanes, options)};
}

KillMatrix matrix_of(const std::vector<const Mutant*>& mutants, const PropertyList& properties,
                     const Registry& registry, const MutantsArguments& arguments) {
  const std::unique_ptr<Lanes> lanes = make_lanes(registry, arguments.ranks, arguments.lanes);
  SharedProgress progress(arguments.quiet, mutants.size());
  MatrixOptions options;
  options.cases = arguments.cases.value_or(kCasesOfMatrix);
  options.seed = arguments.seed;
  options.seeds = arguments.seeds;
  options.progress = [&progress](const Progress& p) { progress(p); };
  KillMatrix matrix;
  matrix.version = attncheck_version();
  matrix.libtorch = libtorch_version();
  for (int i = 0; i < options.seeds; ++i) matrix.seeds.push_back(options.seed + i);
  matrix.cases = options.cases;
  for (const Property* property : properties) matrix.properties.push_back(property->name);
  for (const std::string& name : arguments.properties) {
    if (name != "all") matrix.required.push_back(name);
  }
  const auto start = Clock::now();
  matrix.rows = matrix_rows(mutants, properties, *lanes, options);
  matrix.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return matrix;
}

template <typename Report>
int reported(const Report& report, ReportFile& file) {
  show(report_text(report));
  file.write(report_json(report));
  return report.exit_code();
}

}  // namespace

int mutants_command(const MutantsArguments& arguments) {
  const Registry& registry = program_registry();
  const std::vector<const Mutant*> mutants = chosen_mutants(registry, arguments.mutants);
  const PropertyList properties = chosen_properties(registry, arguments.properties);
  ReportFile file("--json", arguments.json);
  if (!arguments.matrix) return reported(hunted(mutants, registry, arguments), file);
  return reported(matrix_of(mutants, properties, registry, arguments), file);
}

void add_mutants(CLI::App& app, MutantsArguments& a, std::function<int()>& command) {
  CLI::App* mutants = app.add_subcommand("mutants", "Which mutant is caught, and by which case");
  add_list(mutants, "--mutant", a.mutants, "Mutants, or all");
  mutants
      ->add_option("--cases", a.cases,
                   fmt::format("Cases drawn for a mutant, at most: {}, of the matrix {} a seed",
                               kCasesOfHunt, kCasesOfMatrix))
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  mutants->add_option("--seed", a.seed, "Draws the same cases for the same seed")
      ->check(whole_number);
  mutants->add_option("--lanes", a.lanes, "Mutants side by side; one for each core by default")
      ->check(CLI::Range(int64_t{1}, int64_t{256}));
  CLI::Option* matrix =
      mutants->add_flag("--matrix", a.matrix, "Every property on every mutant, and what each adds");
  mutants->add_option("--seeds", a.seeds, "--matrix: seeds, from --seed on")
      ->check(CLI::Range(1, 1000))
      ->needs(matrix)
      ->capture_default_str();
  mutants->add_option("--property", a.properties, "--matrix: properties, or all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(matrix);
  add_path(mutants, "--json", a.json, "Write the report to this file as well");
  add_ranks(mutants, a.ranks);
  mutants->add_flag("--quiet", a.quiet, "No progress on stderr");
  mutants->callback([&a, &command] { command = [&a] { return mutants_command(a); }; });
}

}  // namespace attncheck::cli

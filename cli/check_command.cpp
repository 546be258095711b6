#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/drive/corpus.h"
#include "harness/drive/expectations.h"
#include "harness/drive/report_json.h"
#include "harness/drive/report_junit.h"
#include "harness/drive/report_text.h"
#include "problem/case_text.h"
#include "problem/suggestion.h"

namespace attncheck::cli {
namespace {

// Where failures are kept; nothing when the flag says `none`.
std::optional<Corpus> corpus_of(const CheckArguments& arguments) {
  if (arguments.corpus == "none") return std::nullopt;
  return Corpus(arguments.corpus);
}

std::vector<RememberedCase> remembered_in(const std::optional<Corpus>& corpus) {
  if (!corpus) return {};
  try {
    return corpus->load();
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--corpus: ") + error.what());
  }
}

std::vector<Expectation> expectations_in(const std::string& path, const Registry& registry) {
  if (path.empty()) return {};
  std::error_code none;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, none)) file.open(path);  // a device may have no end
  if (!file.is_open()) throw UsageError("--expect: cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  try {
    return parse_expectations(text.str(), registry.property_names());
  } catch (const ExpectationError& error) {
    throw UsageError("--expect: " + path + ", " + error.what());
  }
}

// A failure that cannot be kept is still reported.
void keep(const std::optional<Corpus>& corpus, const RememberedCase& failure) {
  if (!corpus) return;
  try {
    corpus->remember(failure);
  } catch (const std::runtime_error& error) {
    tell(fmt::format("attncheck: the failure is not remembered: {}\n", error.what()));
  }
}

// Those of a family with every parameter.
std::vector<std::string> every_backend(const Registry& registry) {
  std::vector<std::string> names = registry.backend_names();
  for (const BackendFamily& family : registry.families) {
    for (const Backend& backend : family.all) names.push_back(backend.name);
  }
  return names;
}

// Names that nobody has would be passed over in silence.
void require_names(const Registry& registry, const CheckOptions& options) {
  for (const Expectation& expectation : options.expectations) {
    const std::string flag = fmt::format("--expect: line {}: ", expectation.line);
    const auto require = [&](const char* key, const std::vector<std::string>& known) {
      const auto value = expectation.values.find(key);
      if (value == expectation.values.end()) return;
      const bool has = std::find(known.begin(), known.end(), value->second) != known.end();
      if (has) return;
      throw UsageError(flag + "unknown " + key + " '" + value->second + "'" +
                       suggestion(value->second, known));
    };
    require("impl", registry.subject_names());
    require("backend", every_backend(registry));
    require("transport", transport_names());
  }
  for (const RememberedCase& remembered : options.remembered) {
    try {
      require_name("property", remembered.property, registry.property_names());
      require_known(registry, remembered.case_);
    } catch (const std::exception& error) {
      throw UsageError("--corpus: a remembered failure names what is not there, " +
                       remembered.property + " | " + to_text(remembered.case_) + ": " +
                       error.what() + "; what a plug-in brought needs its --plugin");
    }
  }
}

// Two reports in one file would be one.
void require_two_files(const CheckArguments& arguments) {
  std::error_code none;
  const auto place = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
  };
  const bool both = !arguments.json.empty() && !arguments.junit.empty();
  if (both && place(arguments.json) == place(arguments.junit)) {
    throw UsageError("--json and --junit are one file, '" + arguments.json + "': name two");
  }
}

// Properties that were asked for by name.
std::vector<std::string> required_of(const CheckArguments& arguments) {
  const std::vector<std::string>& names = arguments.properties;
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  return all ? std::vector<std::string>() : names;
}

CheckOptions options_of(const CheckArguments& arguments, const Registry& registry,
                        const std::optional<Corpus>& corpus) {
  CheckOptions options;
  options.seed = arguments.seed;
  options.replay_flags = replay_flags(arguments.ranks);
  options.expectations = expectations_in(arguments.expect, registry);
  options.remembered = remembered_in(corpus);
  for (const Expectation& expectation : options.expectations) {
    if (expectation.case_) options.remembered.push_back({expectation.property, *expectation.case_});
  }
  options.on_failure = [&corpus](const RememberedCase& failure) { keep(corpus, failure); };
  return options;
}

CheckReport run_plan(const CheckPlan& plan, const CheckArguments& arguments, CheckOptions options,
                     Lanes& lanes) {
  const auto start = Clock::now();
  ProgressLine progress(arguments.quiet);
  progress.set_total_streams(static_cast<int64_t>(plan.streams.size()));
  options.progress = [&progress](const Progress& p) { progress(p); };
  if (arguments.time_limit) {
    const std::chrono::duration<double> limit(*arguments.time_limit);
    options.deadline = start + std::chrono::duration_cast<Clock::duration>(limit);
  }
  CheckReport report;
  report.version = attncheck_version();
  report.libtorch = libtorch_version();
  report.seed = arguments.seed;
  report.expectations = options.expectations;
  report.required = required_of(arguments);
  for (const PlannedStream& planned : plan.streams) {
    progress.begin_stream();
    options.cases = planned.cases;
    report.streams.push_back(check_stream(planned.spec, plan.properties, lanes, options));
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace

int check_command(const CheckArguments& given) {
  CheckArguments arguments = given;
  settle_devices(arguments);
  if (const auto code = join_launched_world(arguments)) return *code;
  const Registry& registry = program_registry();
  const std::unique_ptr<Lanes> lanes = make_lanes(registry, arguments.ranks, arguments.lanes);
  const CheckPlan plan = make_plan(arguments, registry, lanes->lab());
  const std::optional<Corpus> corpus = corpus_of(arguments);
  CheckOptions options = options_of(arguments, registry, corpus);
  require_names(registry, options);
  require_two_files(arguments);
  ReportFile json("--json", arguments.json), junit("--junit", arguments.junit);
  const CheckReport report = run_plan(plan, arguments, std::move(options), *lanes);
  fmt::print("{}", report_text(report));
  json.write(report_json(report));
  junit.write(report_junit(report));
  return report.exit_code();
}

}  // namespace attncheck::cli

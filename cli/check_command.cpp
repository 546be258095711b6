#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/found_so_far.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/remembered.h"
#include "cli/report_file.h"
#include "cli/report_timelines.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/drive/corpus.h"
#include "harness/drive/expectations.h"
#include "harness/drive/report_json.h"
#include "harness/drive/report_junit.h"
#include "harness/drive/report_text.h"
#include "harness/html/report_html.h"
#include "problem/case_text.h"
#include "problem/suggestion.h"

namespace attncheck::cli {
namespace {

// Where failures are kept; nothing when the flag says `none`.
std::optional<Corpus> corpus_of(const CheckArguments& arguments) {
  const std::vector<std::string>& folders = arguments.corpora;
  if (std::find(folders.begin(), folders.end(), "") != folders.end()) {
    throw UsageError("--corpus: an empty path is no folder");
  }
  if (folders == std::vector<std::string>{"none"}) return std::nullopt;
  if (std::find(folders.begin(), folders.end(), "none") == folders.end()) {
    return Corpus(folders.back());
  }
  throw UsageError("--corpus: 'none' stands alone: nothing is remembered then");
}

std::string contents(const std::string& flag, const std::string& path) {
  std::error_code none;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, none)) file.open(path);  // a device may have no end
  if (!file.is_open()) throw UsageError(flag + ": cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of earlier runs; the first one has none.
CloseCalls closest_in(const std::string& path) {
  std::error_code none;
  if (path.empty() || !std::filesystem::exists(path, none)) return {};
  try {
    return CloseCalls::parse(contents("--closest", path));
  } catch (const std::invalid_argument& error) {
    throw UsageError("--closest: '" + path + "': " + error.what());
  }
}

std::vector<Expectation> expectations_in(const std::string& path, const Registry& registry) {
  if (path.empty()) return {};
  try {
    return parse_expectations(contents("--expect", path), registry.property_names());
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
      require_known(registry, remembered);
    } catch (const std::exception& error) {
      throw UsageError("--corpus: a remembered failure names what is not there, " +
                       to_text(remembered) + ": " + error.what() +
                       "; what a plug-in brought needs its --plugin");
    }
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
  options.replay_program = registry.callables.program;
  options.replay_flags = replay_flags(arguments.ranks);
  options.expectations = expectations_in(arguments.expect, registry);
  if (corpus) options.remembered = remembered_in(arguments.corpora);
  options.steer = arguments.steer;
  for (const Expectation& expectation : options.expectations) {
    if (expectation.case_) options.remembered.push_back({expectation.property, *expectation.case_});
  }
  options.on_failure = [&corpus](const RememberedCase& failure) { keep(corpus, failure); };
  return options;
}

// Streams share what is left of the time, so that none is left out for those before it.
Clock::time_point share_of(Clock::time_point end, size_t streams) {
  if (end == Clock::time_point::max()) return end;
  const auto now = Clock::now();
  return now + (end - now) / static_cast<int64_t>(streams);
}

CheckReport run_plan(const CheckPlan& plan, const CheckArguments& arguments, CheckOptions options,
                     Lanes& lanes) {
  const auto start = Clock::now();
  ProgressLine progress(arguments.quiet);
  progress.set_total_streams(static_cast<int64_t>(plan.streams.size()));
  options.progress = [&progress](const Progress& p) { progress(p); };
  Clock::time_point end = Clock::time_point::max();
  if (arguments.time_limit) {
    const std::chrono::duration<double> limit(*arguments.time_limit);
    end = start + std::chrono::duration_cast<Clock::duration>(limit);
    progress.set_deadline(end);
  }
  FoundSoFar found(options.on_failure);
  options.on_found = [&found](const StreamSpec& stream, const PropertyResult& failure) {
    found.enter(stream, failure);
  };
  CheckReport report;
  report.version = attncheck_version();
  report.libtorch = libtorch_version();
  report.seed = arguments.seed;
  report.expectations = options.expectations;
  report.required = required_of(arguments);
  for (size_t i = 0; i < plan.streams.size(); ++i) {
    progress.begin_stream();
    options.cases = plan.streams[i].cases;
    options.deadline = share_of(end, plan.streams.size() - i);
    report.streams.push_back(check_stream(plan.streams[i].spec, plan.properties, lanes, options));
    if (!report.streams.back().no_ranks) continue;
    report.untried = plan.streams.size() - i - 1;
    break;
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

int64_t count_elsewhere(const CheckPlan& plan, const std::vector<RememberedCase>& all) {
  return std::count_if(all.begin(), all.end(), [&](const RememberedCase& remembered) {
    return std::none_of(plan.streams.begin(), plan.streams.end(),
                        [&](const PlannedStream& planned) {
                          return tries(planned.spec, plan.properties, remembered);
                        });
  });
}

void add_calls(const CheckReport& report, CloseCalls& closest) {
  for (const StreamReport& stream : report.streams) {
    for (const PropertyResult& result : stream.results) {
      if (!result.closest_case) continue;
      closest.add({result.property, result.closest_call, *result.closest_case});
    }
  }
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
  require_apart({{"--json", arguments.json},
                 {"--junit", arguments.junit},
                 {"--html", arguments.html},
                 {"--closest", arguments.closest}});
  const int64_t elsewhere = count_elsewhere(plan, options.remembered);
  CloseCalls closest = closest_in(arguments.closest);
  options.closest = closest.all();
  ReportFile json("--json", arguments.json), junit("--junit", arguments.junit);
  ReportFile calls("--closest", arguments.closest), html("--html", arguments.html);
  CheckReport report = run_plan(plan, arguments, std::move(options), *lanes);
  report.remembered_elsewhere = elsewhere;
  show(report_text(report));
  json.write(report_json(report));
  junit.write(report_junit(report));
  add_calls(report, closest);
  calls.write(closest.json());
  if (!arguments.html.empty()) {
    html.write(report_html(report, failure_pictures(report, *lanes),
                           report_timelines(report, arguments.ranks)));
  }
  return report.exit_code();
}

}  // namespace attncheck::cli

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/drive/report_text.h"
#include "harness/html/report_html.h"

namespace attncheck::cli {
namespace {

using Kind = Verdict::Kind;

PropertyResult result_of(const Judgement& judgement, const Case& c, const std::string& flags) {
  PropertyResult result;
  result.replay_program = program_registry().callables.program;
  result.replay_flags = flags;
  result.property = judgement.property->name;
  result.explains = judgement.property->explains;
  result.verdict = judgement.verdict.kind;
  result.reason = judgement.verdict.reason;
  result.evidence = judgement.verdict.evidence;
  result.case_ = c;
  const bool judged = result.verdict == Kind::pass || result.verdict == Kind::fail;
  result.cases = judged ? 1 : 0;
  if (result.verdict == Kind::not_run) {
    result.not_run = 1;
    result.why_not_run = judgement.verdict.reason;
  }
  return result;
}

StreamSpec spec_of(const Case& c, Lab& lab) {
  return {c.impl, c.backend, c.transport, c.problem.dtype, {c.mesh}, lab.kind(c), true, {}};
}

int64_t count(const std::vector<Judgement>& judgements, Kind kind) {
  return std::count_if(judgements.begin(), judgements.end(),
                       [kind](const Judgement& j) { return j.verdict.kind == kind; });
}

// One line for each reason: a run that ended early leaves most properties with nothing to judge.
void print_not_run(const std::vector<Judgement>& judgements) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Judgement& judgement : judgements) {
    if (judgement.verdict.kind != Kind::not_run) continue;
    const std::string& reason = judgement.verdict.reason;
    auto same = std::find_if(reasons.begin(), reasons.end(),
                             [&](const auto& entry) { return entry.first == reason; });
    if (same == reasons.end()) same = reasons.insert(same, {reason, {}});
    same->second.push_back(judgement.property->name);
  }
  for (const auto& [reason, names] : reasons) {
    show(fmt::format("not run: {}: {}\n", fmt::join(names, ", "), reason));
  }
}

void print(const std::vector<Judgement>& judgements, const Case& c, Lab& lab,
           const std::string& flags) {
  for (const Judgement& judgement : judgements) {
    if (!judgement.verdict.failed()) continue;
    show(failure_text(stream_name(spec_of(c, lab)), result_of(judgement, c, flags)) + "\n");
  }
  print_not_run(judgements);
  if (count(judgements, Kind::pass) + count(judgements, Kind::fail) == 0) {
    for (const Judgement& judgement : judgements) {
      if (judgement.verdict.kind != Kind::unsupported) continue;
      fmt::print("does not apply: {}: {}\n", judgement.property->name, judgement.verdict.reason);
    }
  }
  fmt::print("{} properties held, {} failed, {} could not be judged, {} do not apply\n",
             count(judgements, Kind::pass), count(judgements, Kind::fail),
             count(judgements, Kind::not_run), count(judgements, Kind::unsupported));
}

CheckReport report_of(const std::vector<Judgement>& judgements, const Case& c, Lab& lab,
                      const std::string& flags) {
  CheckReport report;
  report.version = attncheck_version();
  report.libtorch = libtorch_version();
  report.seed = c.seed;
  StreamReport& stream = report.streams.emplace_back();
  stream.spec = spec_of(c, lab);
  stream.cases = stream.asked = 1;
  for (const Judgement& judgement : judgements) {
    PropertyResult& result = stream.results.emplace_back(result_of(judgement, c, flags));
    if (result.verdict != Kind::pass || !result.evidence) continue;
    result.closest_call = judgement.verdict.share_of_bound();
    result.closest_case = c;
  }
  return report;
}

}  // namespace

int replay_command(const std::string& case_text, const std::vector<std::string>& properties_given,
                   const RankArguments& ranks, const std::string& html) {
  if (properties_given.empty() && html.empty()) {
    if (const auto code = replay_files(case_text, ranks)) return *code;
  }
  const Case c = case_argument(case_text);
  require_device(c.transport, ranks);
  if (const auto code = join_launched_world(c, ranks)) return *code;
  const Registry& registry = program_registry();
  const std::shared_ptr<RunLab> made = make_lab(registry, ranks);
  RunLab& lab = *made;
  require_runnable(registry, lab, c);
  const PropertyList properties =
      speaking_of(lab.kind(c), chosen_properties(registry, properties_given));
  ReportFile page("--html", html);
  WatchedLab watched(lab, c);
  const std::vector<Judgement> judgements = judge_all(properties, c, watched);
  const Support supported = lab.supports(c);
  if (!supported && count(judgements, Kind::fail) == 0) {
    throw UsageError(c.impl + " does not support the case: " + supported.reason);
  }
  print(judgements, c, lab, replay_flags(ranks));
  if (!html.empty()) {
    CheckReport report = report_of(judgements, c, lab, replay_flags(ranks));
    const std::vector<FailurePicture> pictures = failure_pictures(report, lab);
    report.streams.front().runs = lab.counts().runs;
    page.write(report_html(report, pictures));
  }
  if (count(judgements, Kind::fail) > 0) return kFailed;
  const bool all_judged = count(judgements, Kind::not_run) == 0;
  return count(judgements, Kind::pass) > 0 && all_judged ? kHeld : kNotChecked;
}

}  // namespace attncheck::cli

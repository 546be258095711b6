#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/remembered.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

struct Counts {
  int held = 0, failed = 0, not_judged = 0;
  int exit_code() const { return failed > 0 ? kFailed : not_judged > 0 ? kNotChecked : kHeld; }
};

void replay(const RememberedCase& remembered, const RankArguments& ranks, RunLab& lab,
            Counts& counts) {
  const Verdict verdict = judge_again(program_registry(), remembered, ranks, lab);
  const std::string shows = remembered.shows.empty() ? "" : " (" + remembered.shows + ")";
  if (verdict.failed()) {
    ++counts.failed;
    show(failure_text(program_registry(), remembered, verdict, ranks) + "\n");
  } else if (verdict.kind == Verdict::Kind::pass) {
    ++counts.held;
    fmt::print("held: {}{}\n", to_text(remembered), shows);
  } else {
    ++counts.not_judged;
    show(fmt::format("not judged: {}{}: {}\n", to_text(remembered), shows, verdict.reason));
  }
}

}  // namespace

std::optional<int> replay_files(const std::string& path, const RankArguments& ranks) {
  const std::vector<RememberedCase> all = remembered_at(path);
  if (all.empty()) return std::nullopt;
  Counts counts;
  const std::shared_ptr<RunLab> lab = make_lab(program_registry(), ranks);
  for (const RememberedCase& remembered : all) replay(remembered, ranks, *lab, counts);
  fmt::print("{} held, {} failed, {} could not be judged\n", counts.held, counts.failed,
             counts.not_judged);
  return counts.exit_code();
}

}  // namespace attncheck::cli

#include "cli/promote_command.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/manifest.h"
#include "cli/remembered.h"
#include "cli/session.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

RememberedCase failure_of(const PromoteArguments& arguments) {
  const std::vector<RememberedCase> files = remembered_at(arguments.failure);
  if (files.size() > 1) {
    throw UsageError("promote: '" + arguments.failure + "' is a folder: name one of its files");
  }
  try {
    RememberedCase failure = files.empty() ? parse_remembered(arguments.failure) : files.front();
    failure.shows = arguments.shows;
    return failure;
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("promote: no such file, and no failure either: ") + error.what());
  }
}

void require_one_line(const std::string& shows) {
  if (shows.find_first_not_of(" \t") != std::string::npos && shows.find('\n') == std::string::npos)
    return;
  throw UsageError("--shows: expected one line that says what the case once showed");
}

std::string promoted(const RememberedCase& failure, const std::string& folder) {
  try {
    return Corpus(folder).promote(failure);
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--to: ") + error.what());
  }
}

// Nothing where it is as it was said to be; else the exit code.
std::optional<int> objection(const RememberedCase& failure, const Verdict& verdict, bool mended) {
  switch (verdict.kind) {
    case Verdict::Kind::fail:
      if (!mended) return std::nullopt;
      fmt::print("{}\nnot promoted: it was said to be mended, and fails\n",
                 failure_text(program_registry(), failure, verdict, {}));
      return kFailed;
    case Verdict::Kind::pass:
      if (mended) return std::nullopt;
      throw UsageError("promote: the property holds on that case: --mended keeps one that failed");
    case Verdict::Kind::unsupported:
      throw UsageError("promote: the property does not apply: " + verdict.reason);
    case Verdict::Kind::not_run:
      break;
  }
  fmt::print("not promoted: it could not be judged: {}\n", verdict.reason);
  return kNotChecked;
}

}  // namespace

int promote_command(const PromoteArguments& arguments) {
  require_one_line(arguments.shows);
  const RememberedCase failure = failure_of(arguments);
  const std::shared_ptr<RunLab> lab = make_lab(program_registry(), {});
  const Verdict verdict = judge_again(program_registry(), failure, {}, *lab);
  if (const auto code = objection(failure, verdict, arguments.mended)) return *code;
  fmt::print("{}\n", promoted(failure, arguments.to));
  return kHeld;
}

void add_promote(CLI::App& app, PromoteArguments& a, std::function<int()>& command) {
  CLI::App* promote = app.add_subcommand("promote", "Keep a failure's case for good, in a folder");
  promote->add_option("failure", a.failure, "A file of the corpus, or 'property | case'")
      ->required();
  add_path(promote, "--to", a.to, "Folder of cases that are kept for good")->required();
  promote->add_option("--shows", a.shows, "What the case shows, one line")->required();
  promote->add_flag("--mended", a.mended, "It failed once and holds now");
  promote->callback([&a, &command] { command = [&a] { return promote_command(a); }; });
}

}  // namespace attncheck::cli

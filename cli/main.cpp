#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/names.h"
#include "cli/usage.h"
#include "cli/version.h"

namespace attncheck::cli {
namespace {

struct Arguments {
  CheckArguments check;
  MutantsArguments mutants;
  std::string case_text, list_what;
  std::function<int()> command;
};

// CLI11 would read "-1" as 2^64 - 1,
// and 2^64 as well.
std::string whole_number(const std::string& text) {
  uint64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last
             ? ""
             : "'" + text + "' is not a whole number from 0 to 2^64 - 1";
}

void add_list(CLI::App* app, const char* flag, std::vector<std::string>& names, const char* help) {
  app->add_option(flag, names, help)->delimiter(',')->allow_extra_args(false);
}

void add_check(CLI::App& app, Arguments& all) {
  CLI::App* check = app.add_subcommand("check", "Check properties of implementations");
  CheckArguments& a = all.check;
  add_list(check, "--impl", a.impls, "Implementations and other subjects, or all");
  add_list(check, "--backend", a.backends, "Local attention backends, or all");
  add_list(check, "--mesh", a.meshes, "Meshes RxU: ring degree x Ulysses degree");
  add_list(check, "--transport", a.transports, "sim, gloo, or all");
  add_list(check, "--property", a.properties, "Properties, or all");
  add_list(check, "--dtype", a.dtypes, "f64, f32, bf16, f16, or all");
  check->add_option("--cases", a.cases, "Cases of each implementation, backend, transport, dtype")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  check->add_option("--seed", a.seed, "Draws the same cases for the same seed")
      ->check(whole_number);
  check->add_option("--time-limit", a.time_limit, "Seconds after which no case is drawn")
      ->check(CLI::Range(0.0, 1e9));
  check->add_option("--json", a.json, "Write the report to this file as well");
  check->add_flag("--quiet", a.quiet, "No progress on stderr");
  check->callback([&all] { all.command = [&all] { return check_command(all.check); }; });
}

void add_mutants(CLI::App& app, Arguments& all) {
  CLI::App* mutants = app.add_subcommand("mutants", "Which mutant is caught, and by which case");
  MutantsArguments& a = all.mutants;
  add_list(mutants, "--mutant", a.mutants, "Mutants, or all");
  mutants->add_option("--cases", a.cases, "Cases drawn for a mutant, at most")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  mutants->add_option("--seed", a.seed, "Draws the same cases for the same seed")
      ->check(whole_number);
  mutants->add_option("--json", a.json, "Write the report to this file as well");
  mutants->add_flag("--quiet", a.quiet, "No progress on stderr");
  mutants->callback([&all] { all.command = [&all] { return mutants_command(all.mutants); }; });
}

void add_case_command(CLI::App& app, Arguments& all, const char* name, const char* help,
                      int (*command)(const std::string&)) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_option("case", all.case_text, "One case: 'impl=ring mesh=3x1 q=3 d=1'")->required();
  sub->callback(
      [&all, command] { all.command = [&all, command] { return command(all.case_text); }; });
}

void add_list_command(CLI::App& app, Arguments& all) {
  CLI::App* list =
      app.add_subcommand("list", "impls | backends | properties | mutants | transports");
  list->add_option("what", all.list_what, "What to list")->required();
  list->callback([&all] { all.command = [&all] { return list_command(all.list_what); }; });
}

void add_rank(CLI::App& app, Arguments& all) {
  CLI::App* rank = app.add_subcommand("rank", "");
  rank->group("");
  rank->callback([&all] { all.command = rank_command; });
}

// CLI11 says of an unknown command only that it did not expect the argument.
void require_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> commands{"check", "replay", "explain", "mutants", "list"};
  if (std::string(argv[1]) != "rank") require_name("command", argv[1], commands);
}

int run(int argc, char** argv) {
  CLI::App app("Checks context-parallel attention against an independent reference.", "attncheck");
  app.set_version_flag("--version", std::string("attncheck ") + attncheck_version() +
                                        ", LibTorch " + libtorch_version());
  app.require_subcommand(1);
  Arguments all;
  add_check(app, all);
  add_case_command(app, all, "replay", "Run one case again, every property that applies",
                   replay_command);
  add_case_command(app, all, "explain", "Where every contribution of one case ended up",
                   explain_command);
  add_mutants(app, all);
  add_list_command(app, all);
  add_rank(app, all);
  require_command(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return all.command();
}

// One line, whatever an error's text holds.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

int guarded(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    fmt::print(stderr, "attncheck: {}\n", first_line(error.what()));
    return kWrongRequest;
  } catch (const std::exception& error) {
    fmt::print(stderr, "attncheck: could not check: {}\n", first_line(error.what()));
    return kNotChecked;
  }
}

}  // namespace
}  // namespace attncheck::cli

int main(int argc, char** argv) {
  const int status = attncheck::cli::guarded(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  fmt::print(stderr, "attncheck: the results could not be written to standard output\n");
  return status == attncheck::cli::kHeld ? attncheck::cli::kNotChecked : status;
}

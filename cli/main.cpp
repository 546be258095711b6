#include <algorithm>
#include <cstdio>
#include <functional>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/bench_flags.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/contracts_command.h"
#include "cli/crash_words.h"
#include "cli/early_exit.h"
#include "cli/flags.h"
#include "cli/interrupt.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/mutants_command.h"
#include "cli/names.h"
#include "cli/plugin_flag.h"
#include "cli/promote_command.h"
#include "cli/rank_flags.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "gloo_cpu/child_process.h"
#include "harness/process_transport.h"

namespace attncheck::cli {
namespace {

struct Arguments {
  CheckArguments check;
  MutantsArguments mutants;
  BenchArguments bench;
  ContractsArguments contracts;
  PromoteArguments promote;
  std::string case_text, html, list_what;
  std::string before, after, comparison;  // files
  std::vector<std::string> properties;    // of replay
  std::vector<std::string> plugins;       // libraries
  bool quiet = false;                     // of commands that show no progress
  std::string callables;                  // a file of descriptions
  RankArguments ranks;                    // of replay and explain
  std::function<int()> command;
};

void add_check(CLI::App& app, Arguments& all) {
  CLI::App* check = app.add_subcommand("check", "Check properties of implementations");
  CheckArguments& a = all.check;
  add_list(check, "--impl", a.impls, "Implementations and other subjects, or all");
  add_list(check, "--model", a.models, "Models, or all: --model x is --impl model:x");
  add_list(check, "--backend", a.backends, "Local attention backends, or all");
  add_list(check, "--mesh", a.meshes, "Meshes RxU: ring degree x Ulysses degree");
  add_list(check, "--transport", a.transports, "sim, gloo, nccl, or all");
  add_list(check, "--property", a.properties, "Properties, or all");
  add_list(check, "--dtype", a.dtypes, "f64, f32, bf16, f16, or all");
  add_list(check, "--shapes", a.shapes, "Attention of public models instead of drawn sizes");
  check->add_option("--scale", a.scale, "Factor on the lengths of --shapes, above 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->check(finite_number)
      ->needs("--shapes");
  check->add_option("--cases", a.cases, "Cases of each implementation, backend, transport, dtype")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  check->add_option("--seed", a.seed, "Draws the same cases for the same seed")
      ->check(whole_number);
  check->add_option("--time-limit", a.time_limit, "Seconds after which no case is drawn")
      ->check(CLI::Range(0.0, 1e9))
      ->check(finite_number);
  check->add_option("--lanes", a.lanes, "Cases judged side by side; one for each core by default")
      ->check(CLI::Range(int64_t{1}, int64_t{256}));
  add_memory(check, a);
  add_ranks(check, a.ranks);
  add_device(check, a.ranks);
  check->add_flag("--quiet", a.quiet, "No progress on stderr");
  check->callback([&all] { all.command = [&all] { return check_command(all.check); }; });
}

CLI::App* add_case_command(CLI::App& app, Arguments& all, const char* name, const char* help,
                           const char* case_help, const std::function<int()>& command) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_option("case", all.case_text, case_help)->required();
  add_ranks(sub, all.ranks);
  add_device(sub, all.ranks);
  sub->add_flag("--quiet", all.quiet, "No progress on stderr: one case shows none");
  sub->callback([&all, command] { all.command = command; });
  return sub;
}

void add_replay(CLI::App& app, Arguments& all) {
  CLI::App* replay = add_case_command(
      app, all, "replay", "Run one case again, every property that applies",
      "One case, or a file or folder of a corpus, each with its own property",
      [&all] { return replay_command(all.case_text, all.properties, all.ranks, all.html); });
  add_list(replay, "--property", all.properties, "Properties, or all");
  add_path(replay, "--html", all.html, "Write what one case gave to this file as a page");
}

void add_list_command(CLI::App& app, Arguments& all) {
  CLI::App* list = app.add_subcommand(
      "list", "impls | models | backends | properties | mutants | transports | shapes | support");
  list->add_option("what", all.list_what, "What to list")->required();
  list->callback([&all] { all.command = [&all] { return list_command(all.list_what); }; });
}

void add_compare(CLI::App& app, Arguments& all) {
  CLI::App* compare =
      app.add_subcommand("compare", "New and fixed failures, drift of errors, bytes and memory");
  compare->add_option("before", all.before, "A report of check --json, or mutants --json")
      ->required();
  compare->add_option("after", all.after, "A later one")->required();
  add_path(compare, "--json", all.comparison, "Write the comparison to this file as well");
  compare->callback([&all] {
    all.command = [&all] { return compare_command(all.before, all.after, all.comparison); };
  });
}

void add_rank(CLI::App& app, Arguments& all) {
  CLI::App* rank = app.add_subcommand("rank", "");
  rank->group("");
  rank->callback([&all] { all.command = rank_command; });
}

// CLI11 says of an unknown command only that it did not expect the argument.
void require_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> commands{"check",   "replay",    "explain", "mutants", "promote",
                                          "compare", "contracts", "bench",   "list"};
  if (std::string(argv[1]) != "rank") require_name("command", argv[1], commands);
}

int run(int argc, char** argv) {
  CLI::App app("Checks context-parallel attention against an independent reference.", "attncheck");
  app.set_version_flag("--version", std::string("attncheck ") + attncheck_version() +
                                        ", LibTorch " + libtorch_version());
  app.require_subcommand(1);
  Arguments all;
  add_check(app, all);
  add_replay(app, all);
  add_case_command(app, all, "explain", "Where every contribution of one case ended up",
                   "One case: 'impl=ring mesh=3x1 q=3 d=1'",
                   [&all] { return explain_command(all.case_text, all.ranks); });
  add_mutants(app, all.mutants, all.command);
  add_compare(app, all);
  add_contracts(app, all.contracts, all.command);
  add_promote(app, all.promote, all.command);
  add_bench(app, all.bench, all.command);
  add_list_command(app, all);
  add_rank(app, all);
  add_plugins(app, all.plugins);
  add_callables_flag(app, all.callables);
  require_command(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  load_plugins(all.plugins);
  load_callables(all.callables);
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
    tell(fmt::format("attncheck: {}\n", first_line(error.what())));
    let_the_first_rank_speak();
    return kWrongRequest;
  } catch (const std::exception& error) {
    tell(fmt::format("attncheck: could not check: {}\n", first_line(error.what())));
    return kNotChecked;
  } catch (...) {
    tell("attncheck: could not check: code under test threw what is no std::exception\n");
    return kNotChecked;
  }
}

}  // namespace
}  // namespace attncheck::cli

namespace {

// A file that is opened later must not become a standard stream that the caller had closed.
void open_standard_streams() {
  for (int fd = ::open("/dev/null", O_RDWR); fd >= 0; fd = ::open("/dev/null", O_RDWR)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  attncheck::cli::name_crashes();
  const bool is_rank = attncheck::is_rank_process();
  if (!is_rank) {
    attncheck::gloo_cpu::adopt_orphans();
    attncheck::cli::end_in_order_when_interrupted();
    attncheck::cli::guard_the_exit();
  }
  int status = attncheck::cli::guarded(argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    attncheck::cli::tell("attncheck: the results could not be written to standard output\n");
    if (status == attncheck::cli::kHeld) status = attncheck::cli::kNotChecked;
  }
  attncheck::cli::leave_launched_world(status);
  if (!is_rank) attncheck::gloo_cpu::end_orphans();
  attncheck::cli::reach_the_end();
  attncheck::cli::name_what_ends();
  return status;
}

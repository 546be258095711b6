#include "cli/bench_flags.h"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/flags.h"
#include "cli/names.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

using Names = std::vector<std::string>;

const Names kAll{"harness", "methods", "peers", "scale", "timeline"};
const Names kTimes{"methods", "peers"}, kPredictions{"scale", "timeline"};
const Names kTables{"methods", "peers", "scale"};

struct BenchFlag {
  CLI::Option* option;
  Names benches;
};

// A flag's help begins with the benches that it is of.
class BenchFlags {
 public:
  CLI::Option* add(const Names& benches, CLI::Option* option) {
    option->description(fmt::format("{}: {}", fmt::join(benches, ", "), option->get_description()));
    flags_.push_back({option, benches});
    return option;
  }

  void refuse_idle(const std::string& what) const {
    for (const BenchFlag& flag : flags_) {
      if (flag.option->count() == 0 || std::ranges::find(flag.benches, what) != flag.benches.end())
        continue;
      throw UsageError(fmt::format("{}: bench {} has no use for it; it is of bench {}",
                                   flag.option->get_name(), what, fmt::join(flag.benches, ", ")));
    }
  }

 private:
  std::vector<BenchFlag> flags_;
};

void add_machine(CLI::App* bench, BenchFlags& flags, ScaleArguments& a) {
  flags.add(kPredictions,
            add_list(bench, "--links", a.links,
                     "the links within a node and across nodes: nvlink, pcie, ib, ethernet, or "
                     "NAME:MICROSECONDS:GIGABYTES"));
  flags.add(kPredictions, bench->add_option("--node", a.node, "ranks of a node")
                              ->check(CLI::Range(1, 4096))
                              ->capture_default_str());
  flags.add(kPredictions, bench->add_option("--tflops", a.tflops, "of one rank's attention kernel")
                              ->check(CLI::Range(1e-3, 1e6))
                              ->check(finite_number)
                              ->capture_default_str());
}

void add_problems(CLI::App* bench, BenchFlags& flags, BenchArguments& a) {
  flags.add(
      kTables,
      bench->add_option("--world", a.scale.worlds, "numbers of ranks; one where times are measured")
          ->check(whole_number)
          ->delimiter(','));
  flags.add(kTables, add_list(bench, "--shapes", a.scale.shapes,
                              "attention shapes of public models, or all"));
  flags.add(kTimes, bench
                        ->add_option("--scale", a.methods.scale,
                                     "factor on the lengths of --shapes, above 0 to 1")
                        ->check(CLI::Range(0.0, 1.0))
                        ->check(finite_number)
                        ->capture_default_str());
  flags.add(kTimes, bench
                        ->add_option("--lengths", a.methods.lengths,
                                     "tokens instead of the shapes' own, e.g. 1024,4096,32768")
                        ->delimiter(',')
                        ->check(CLI::Range(int64_t{1}, int64_t{1} << 24))
                        ->excludes("--scale"));
  flags.add(kTimes, bench
                        ->add_option("--heads", a.methods.heads,
                                     "heads of q instead of the shapes' own; as many as there "
                                     "share a head of k and v")
                        ->check(CLI::Range(1, 4096)));
  flags.add(kTimes, bench->add_flag("--causal", a.methods.causal, "every shape causal"));
}

void add_ranks_of_times(CLI::App* bench, BenchFlags& flags, MethodsArguments& a) {
  flags.add(kTimes, bench->add_option(
                        "--transport", a.transport,
                        "nccl, or gloo for CPUs; by default nccl for methods, gloo for peers"));
  flags.add(kTimes, bench
                        ->add_option("--impl", a.impls,
                                     "implementations that are timed beside the built-in ones")
                        ->delimiter(','));
  flags.add(kTimes, bench->add_option("--backend", a.backend,
                                      "the kernel; by default cudnn on GPUs, flash_cpu on CPUs"));
  flags.add(kTimes,
            bench->add_option("--dtype", a.dtype, "f64, f32, bf16 or f16")->capture_default_str());
  flags.add(
      {"methods", "peers", "timeline"},
      bench
          ->add_option(
              "--rank-timeout", a.rank_timeout,
              "seconds that ranks have for a round of all methods, or for the case; "
              "a collective has half of it; by default 30 and for long rounds more, 120 for a case")
          ->check(CLI::Range(0.1, 86400.0))
          ->check(finite_number));
  flags.add(kTimes, bench
                        ->add_option("--device", a.ranks.device,
                                     "cpu or cuda; by default cuda for nccl, else cpu")
                        ->check(CLI::IsMember({"cpu", "cuda"})));
}

void add_timeline(CLI::App* bench, BenchFlags& flags, ScaleArguments& a) {
  flags.add({"timeline"}, bench->add_option("--case", a.case_text,
                                            "the case, e.g. 'impl=ring mesh=4x1 q=64 d=8'; "
                                            "predicted, or with transport=gloo measured"));
  flags.add({"timeline"},
            add_path(bench, "--trace", a.trace, "write it to this file in Chrome's trace format"));
}

void add_reports(CLI::App* bench, BenchFlags& flags, BenchArguments& a) {
  flags.add({"harness"}, add_list(bench, "--budget", a.budgets, "budgets, or all"));
  flags.add(
      {"harness", "methods", "peers"},
      bench->add_option("--repetitions", a.repetitions, "of each measurement; by default its own")
          ->check(CLI::Range(1, 1 << 20)));
  flags.add({"harness", "methods", "peers", "scale"},
            add_path(bench, "--json", a.json, "write the report to this file as well"));
  add_path(bench, "--html", a.scale.html, "Write it to this file as a page");
  bench->add_flag("--quiet", a.quiet, "No progress on stderr");
}

}  // namespace

void add_bench(CLI::App& app, BenchArguments& a, std::function<int()>& command) {
  CLI::App* bench =
      app.add_subcommand("bench", "Costs as ratios with their budgets, and predictions");
  bench
      ->add_option(
          "what", a.what,
          "harness: the budgets of the harness itself; methods: times, on GPUs; peers: yours "
          "beside them, on CPUs; scale: predictions for many ranks; timeline: what each "
          "rank of one case does when")
      ->required();
  const auto flags = std::make_shared<BenchFlags>();
  add_machine(bench, *flags, a.scale);
  add_problems(bench, *flags, a);
  add_ranks_of_times(bench, *flags, a.methods);
  add_timeline(bench, *flags, a.scale);
  add_reports(bench, *flags, a);
  bench->callback([&a, &command, flags] {
    command = [&a, flags] {
      require_name("bench", a.what, kAll);
      flags->refuse_idle(a.what);
      return bench_command(a);
    };
  });
}

}  // namespace attncheck::cli

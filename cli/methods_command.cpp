#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/names.h"
#include "cli/report_file.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "harness/gpu_library.h"
#include "harness/html/report_html.h"
#include "harness/timing/method_times.h"
#include "problem/case_text.h"
#include "problem/model_shapes.h"

namespace attncheck::cli {
namespace {

constexpr int kGlooRanks = 4;

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPauseOfLog{60};

std::vector<std::string> timed_impls(const BenchArguments& arguments) {
  const std::vector<std::string>& impls = arguments.methods.impls;
  if (impls.empty() && arguments.what == "peers") {
    throw UsageError(
        "bench peers times implementations beside the built-in ones: name them by --impl, from "
        "--plugin, or from Python by 'python -m attncheck bench peers --impl module:attention'");
  }
  for (const std::string& impl : impls) {
    require_name("impl", impl, program_registry().subject_names());
    if (program_registry().kind(impl) != SubjectKind::implementation) {
      throw UsageError("--impl: " + impl + " is no attention over a mesh, and is not timed");
    }
  }
  return impls;
}

// What was not measured is not_run, as for every bench.
void require_device_for(const MethodsArguments& a) {
  require_name("transport", a.transport, {"nccl", "gloo"});
  try {
    require_device(a.transport, a.ranks);
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("not_run: ") + error.what());
  }
}

std::string timed_backend(const MethodsArguments& a) {
  const std::string device = device_of(a.transport, a.ranks);
  const std::string fallback = device == "cuda" ? "cudnn" : "flash_cpu";
  const std::string name = a.backend.empty() ? fallback : a.backend;
  require_here(name);
  try {
    require_backend(program_registry(), name);
  } catch (const UnknownName& error) {
    throw UsageError(error.what());
  }
  const std::string& only = program_registry().backend(name)->device;
  if (!only.empty() && only != device) {
    throw UsageError(
        fmt::format("--backend: {} runs on {} alone, and tensors are on {}", name, only, device));
  }
  return name;
}

DType timed_dtype(const std::string& name) {
  require_name("dtype", name, dtype_names());
  return parse_dtype(name);
}

std::optional<int> ranks_asked(const std::vector<int>& worlds) {
  if (worlds.empty()) return std::nullopt;
  if (worlds.size() > 1) {
    throw UsageError(
        fmt::format("--world: methods are timed on one number of ranks, {} given", worlds.size()));
  }
  if (worlds.front() < 1) {
    throw UsageError(fmt::format("--world: {} is no number of ranks", worlds.front()));
  }
  return worlds.front();
}

std::optional<int64_t> heads_asked(const MethodsArguments& a,
                                   const std::vector<std::string>& shapes) {
  for (const std::string& shape : shapes) {
    const Problem& p = model_shape(shape).problem;
    const int64_t sharing = p.heads / p.kv_heads;
    if (a.heads && *a.heads % sharing != 0) {
      throw UsageError(
          fmt::format("--heads: {} heads of q are no multiple of {}, as many as share "
                      "a head of k and v in {}",
                      *a.heads, sharing, shape));
    }
  }
  return a.heads;
}

timing::Question question_of(const BenchArguments& arguments) {
  const MethodsArguments& a = arguments.methods;
  if (a.scale <= 0) throw UsageError("--scale: 0 leaves no token: give a factor above 0");
  timing::Question question;
  question.shapes = chosen("shape", arguments.scale.shapes, model_shape_names(), {"flux"});
  question.scale = a.scale;
  question.lengths = a.lengths;
  question.heads = heads_asked(a, question.shapes);
  question.causal = a.causal;
  question.transport = a.transport;
  question.backend = timed_backend(a);
  question.dtype = timed_dtype(a.dtype);
  question.impls = timed_impls(arguments);
  question.fixed_limit = a.rank_timeout.has_value();
  question.repetitions = arguments.repetitions.value_or(question.repetitions);
  return question;
}

// On a terminal after every round, else where a shape begins, and once a minute.
class RoundsLine {
 public:
  explicit RoundsLine(bool quiet) : line_(quiet) {}

  void operator()(const timing::TimingProgress& p) {
    const std::string shape = fmt::format("timing {}, {} tokens", p.shape, p.tokens);
    std::string done = fmt::format("{}: {} of {} rounds", shape, p.round, p.rounds);
    if (p.seconds_left) done += fmt::format(", {} left", time_text(*p.seconds_left));
    line_.show(done, p.round == 0 ? shape : take_turn() ? done : "");
  }

 private:
  bool take_turn() {
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + kPauseOfLog;
    return true;
  }

  StatusLine line_;
  Clock::time_point next_ = Clock::now() + kPauseOfLog;
};

timing::TimeTable measured(Transport& transport, const timing::Question& question, bool quiet) {
  RoundsLine line(quiet);
  return timing::measure(program_registry(), transport, question,
                         [&line](const timing::TimingProgress& p) { line(p); });
}

void require_mesh(const Transport& transport, int ranks) {
  const Support carried = transport.supports({ranks, 1});
  if (!carried) throw UsageError(carried.reason);
}

}  // namespace

int methods_command(const BenchArguments& given) {
  BenchArguments arguments = given;
  MethodsArguments& a = arguments.methods;
  a.ranks.timeout = a.rank_timeout.value_or(a.ranks.timeout);
  if (a.transport.empty()) a.transport = arguments.what == "peers" ? "gloo" : "nccl";
  require_device_for(a);
  std::optional<int> ranks = ranks_asked(arguments.scale.worlds);
  if (const auto served = join_launched_world(a.transport, ranks, a.ranks)) return *served;
  timing::Question question = question_of(arguments);
  question.ranks = ranks.value_or(a.transport == "nccl" ? count_gpus().gpus : kGlooRanks);
  ReportFile file("--json", arguments.json), page("--html", arguments.scale.html);
  ProcessOptions options = process_options(a.transport, a.ranks, "");
  options.launched = launched_world();
  ProcessTransport transport(std::move(options));
  require_mesh(transport, question.ranks);
  timing::TimeTable table = measured(transport, question, arguments.quiet);
  table.bench = arguments.what;
  table.packages = program_registry().callables.packages;
  table.version = attncheck_version();
  table.libtorch = libtorch_version();
  show(timing::table_text(table));
  const std::string json = timing::table_json(table);
  file.write(json);
  page.write(bench_html(json));
  return table.exit_code();
}

}  // namespace attncheck::cli

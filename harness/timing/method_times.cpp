#include "harness/timing/method_times.h"

#include <algorithm>

#include "harness/evaluate_local.h"
#include "harness/timing/method_bytes.h"
#include "harness/timing/rounds.h"
#include "impl/contract/context_parallel_config.h"
#include "problem/model_shapes.h"
#include "problem/next_multiple.h"

namespace attncheck::timing {
namespace {

// As many query heads share a head of k and v.
Problem of_heads(Problem problem, int64_t heads) {
  problem.kv_heads = heads * problem.kv_heads / problem.heads;
  problem.heads = heads;
  return problem;
}

Problem problem_of(const Question& question, const std::string& shape) {
  Problem problem = scaled(model_shape(shape).problem, question.scale, 2 * question.ranks);
  problem.dtype = question.dtype;
  problem.causal = problem.causal || question.causal;
  if (question.heads) problem = of_heads(problem, *question.heads);
  return problem;
}

// Rounded up to two for each rank.
Problem of_length(Problem problem, int64_t tokens, int ranks) {
  problem.q_len = problem.kv_len = next_multiple(tokens, 2 * ranks);
  return problem;
}

Case case_of(const Question& question, const Problem& problem, const std::string& impl,
             const Mesh& mesh) {
  Case c;
  c.impl = impl;
  c.backend = question.backend;
  c.transport = question.transport;
  c.mesh = mesh;
  c.problem = problem;
  c.return_lse = false;
  return c;
}

// Of every repetition the slowest rank; empty where no rank had a part.
std::vector<double> slowest(const std::vector<RankTimes>& ranks, size_t piece,
                            std::vector<double> Laps::*lap) {
  std::vector<double> worst;
  for (const RankTimes& rank : ranks) {
    const std::vector<double>& own = rank.laps.at(piece).*lap;
    worst.resize(std::max(worst.size(), own.size()));
    for (size_t i = 0; i < own.size(); ++i) worst[i] = std::max(worst[i], own[i]);
  }
  return worst;
}

PassTime pass_time(const std::vector<double>& seconds, const std::vector<double>& alone, int ranks,
                   double flop, int64_t tokens) {
  std::vector<double> percent;
  for (size_t i = 0; i < seconds.size(); ++i) {
    percent.push_back(percent_of_alone(alone.at(i), seconds[i], ranks));
  }
  PassTime time;
  time.seconds = bench::spread_of(seconds);
  time.percent = bench::spread_of(percent);
  time.flops = flop / (ranks * time.seconds.median);
  time.tokens = static_cast<double>(tokens) / time.seconds.median;
  return time;
}

// What the first rank that refused a piece says; empty where none did.
std::string refusal_of(const std::vector<RankTimes>& ranks, size_t piece) {
  for (const RankTimes& rank : ranks) {
    if (!rank.laps.at(piece).refused.empty()) return rank.laps[piece].refused;
  }
  return "";
}

void fill_passes(const std::vector<RankTimes>& ranks, const std::vector<size_t>& timed,
                 ShapeTimes& shape) {
  const Products products = products_of(shape.problem);
  const auto fill = [&](std::vector<double> Laps::*lap, double flop, auto member) {
    const std::vector<double> alone = slowest(ranks, 0, lap);
    for (size_t piece = 0; piece < timed.size(); ++piece) {
      PassRow& row = shape.passes[timed[piece]];
      row.why_not = refusal_of(ranks, piece);
      if (!row.why_not.empty()) continue;
      row.*member = pass_time(slowest(ranks, piece, lap), alone, row.case_.mesh.world(), flop,
                              shape.problem.batch * shape.problem.q_len);
    }
  };
  fill(&Laps::forward, products.forward, &PassRow::forward);
  fill(&Laps::backward, products.backward, &PassRow::backward);
}

void fill_exchanges(const std::vector<RankTimes>& ranks, size_t first, const TimingRequest& request,
                    const Question& question, ShapeTimes& shape) {
  const int64_t width = question.dtype == DType::f64 ? 8 : question.dtype == DType::f32 ? 4 : 2;
  for (size_t i = 0; i < request.exchanges.size(); ++i) {
    ExchangeRow row{request.exchanges[i],
                    exchanged_elements(shape.problem, question.ranks) * width,
                    bench::spread_of(slowest(ranks, first + i, &Laps::forward)),
                    {}};
    row.bandwidth = bandwidth(row.kind, row.bytes, question.ranks, row.seconds.median);
    shape.exchanges.push_back(row);
  }
}

// A callable has a kernel of its own, unless it takes a backend; in a case's text that is the
// default.
void give_own_kernel(const Registry& registry, Case& c) {
  if (!registry.callables.names.contains(c.impl) || registry.supports(c)) return;
  Case own = c;
  own.backend = Case{}.backend;
  if (registry.supports(own)) c = own;
}

// The kernel alone is what all is compared with: without it there is nothing to time. Throws
// NotTimed.
void ask_support(const Registry& registry, ShapeTimes& shape, TimingRequest& request,
                 std::vector<size_t>& timed) {
  for (size_t i = 0; i < shape.passes.size(); ++i) {
    PassRow& row = shape.passes[i];
    give_own_kernel(registry, row.case_);
    const Support support = registry.supports(row.case_);
    if (!support) {
      row.why_not = support.reason;
      if (i == 0) throw NotTimed(support.reason);
      continue;
    }
    request.passes.push_back(row.case_);
    timed.push_back(i);
  }
}

// What is timed of one problem, with those who wait told of it.
class ShapeClock {
 public:
  ShapeClock(const Registry& registry, Transport& transport, const Question& question,
             const TellProgress& tell)
      : registry_(registry), transport_(transport), question_(question), tell_(tell) {}

  ShapeTimes times_of(const std::string& name, const Problem& problem) {
    ShapeTimes shape{name, problem, {}, {}, "", {}};
    for (const Case& c : timed_cases(question_, problem)) {
      shape.passes.push_back({c, std::nullopt, std::nullopt, ""});
    }
    try {
      fill(shape);
    } catch (const NotTimed& why) {
      shape.not_run = why.what();
    }
    return shape;
  }

 private:
  void fill(ShapeTimes& shape) {
    progress_ = {shape.shape, shape.problem.q_len, 0, question_.repetitions + 1, {}};
    tell_(progress_);
    TimingRequest request;
    if (question_.ranks > 1) request.exchanges = all_exchanges();
    std::vector<size_t> timed;
    ask_support(registry_, shape, request, timed);
    if (!question_.fixed_limit) {
      allow_for(transport_, request.passes.at(0), request.passes.size(), question_.ranks);
    }
    const std::vector<RankTimes> ranks =
        timed_rounds(transport_, request, question_.ranks, question_.repetitions,
                     [this](int round, double seconds) { tell_of(round, seconds); });
    fill_passes(ranks, timed, shape);
    fill_exchanges(ranks, timed.size(), request, question_, shape);
    fill_bytes(registry_, transport_, shape);
  }

  // Where bytes are counted each method runs twice more.
  void tell_of(int round, double seconds) {
    const int passes_of_bytes = counts_bytes(transport_) ? 2 : 0;
    progress_.round = round + 1;
    progress_.seconds_left = seconds * (progress_.rounds - progress_.round + passes_of_bytes);
    tell_(progress_);
  }

  const Registry& registry_;
  Transport& transport_;
  const Question& question_;
  const TellProgress& tell_;
  TimingProgress progress_;
};

// Times one length of a shape; of lengths that are none of the shape's own, what was asked for.
ShapeTimes times_of_length(ShapeClock& clock, const Question& question, const std::string& shape,
                           int64_t tokens) {
  const Problem problem = of_length(problem_of(question, shape), tokens, question.ranks);
  ShapeTimes times = clock.times_of(shape, problem);
  if (problem.q_len != tokens) times.asked_tokens = tokens;
  return times;
}

}  // namespace

std::optional<double> load_bound(const Case& c) {
  const bool in_shards = c.mesh.ring > 1 && c.problem.layout == Layout::contiguous;
  const bool by_blocks = c.impl == to_text(Method::ring) || c.impl == to_text(Method::unified);
  if (!c.problem.causal || !in_shards || !by_blocks) return std::nullopt;
  return c.mesh.ring / (2.0 * c.mesh.ring - 1);
}

int TimeTable::exit_code() const {
  const bool all_timed = std::all_of(shapes.begin(), shapes.end(),
                                     [](const ShapeTimes& shape) { return shape.not_run.empty(); });
  return all_timed ? 0 : 3;
}

std::vector<Case> timed_cases(const Question& question, const Problem& problem) {
  std::vector<Case> cases{case_of(question, problem, "local", {1, 1})};
  const auto add = [&](const Mesh& mesh, const std::string& impl) {
    for (Rotate rotate : {Rotate::allgather, Rotate::p2p}) {
      if (mesh.ring == 1 && rotate == Rotate::p2p) continue;
      cases.push_back(case_of(question, problem, impl, mesh));
      cases.back().rotate = rotate;
    }
  };
  const std::vector<Mesh> meshes = factorisations(question.ranks);
  for (const Mesh& mesh : meshes) add(mesh, to_text(method_for(mesh)));
  cases.push_back(case_of(question, problem, to_text(Method::allgather_kv), {question.ranks, 1}));
  for (const std::string& impl : question.impls) {
    for (const Mesh& mesh : meshes) add(mesh, impl);
  }
  return cases;
}

TimeTable measure(const Registry& registry, Transport& transport, const Question& question,
                  const TellProgress& tell) {
  TimeTable table;
  table.transport = transport.name();
  table.device = transport.device();
  table.question = question;
  ShapeClock clock(registry, transport, question, tell);
  for (const std::string& shape : question.shapes) {
    if (question.lengths.empty()) {
      table.shapes.push_back(clock.times_of(shape, problem_of(question, shape)));
    }
    for (int64_t tokens : question.lengths) {
      table.shapes.push_back(times_of_length(clock, question, shape, tokens));
    }
  }
  return table;
}

}  // namespace attncheck::timing

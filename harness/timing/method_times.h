#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/bench/spread.h"
#include "harness/registry.h"
#include "harness/timing/throughput.h"
#include "harness/timing/timing_request.h"
#include "harness/transport.h"
#include "reference/traffic.h"

namespace attncheck::timing {

// What is asked for.
struct Question {
  std::vector<std::string> shapes;  // of problem/model_shapes.h
  double scale = 1;                 // of their lengths
  std::vector<int64_t> lengths;     // tokens, instead of their own; several: a shape for each
  std::optional<int64_t> heads;     // of q, instead of their own
  bool causal = false;              // every shape; else those that are
  int ranks = 1;
  std::string backend;
  DType dtype = DType::bf16;
  int repetitions = 5;
  std::vector<std::string> impls;  // others than the built-in methods, timed beside them
  std::string transport = "gloo";
  bool fixed_limit = false;  // a round has what the transport has; else more where work is long
};

// How far the work on a shape is.
struct TimingProgress {
  std::string shape;
  int64_t tokens = 0;
  int round = 0, rounds = 0;           // done, of all; the first is one that does not count
  std::optional<double> seconds_left;  // of this shape, once a round is done
};
using TellProgress = std::function<void(const TimingProgress&)>;

// What the rank that receives most received; in theory, as properties/traffic_of_case.h has it.
struct PassBytes {
  int64_t received = 0;
  std::optional<reference::ByteRange> theory;
};

// Forward or backward of a pass: of every repetition the slowest rank.
struct PassTime {
  bench::Spread seconds;
  bench::Spread percent;  // of the kernel's throughput in the same repetition; of itself 100
  double flops = 0;       // a second and rank, by the median
  double tokens = 0;      // of the whole sequence and batch, a second, by the median
  std::optional<PassBytes> bytes;  // where a diary was kept (diary.h): over Gloo, on CPUs
};

// The share of the kernel's throughput that a causal ring can have on contiguous shards of one
// length, where the last rank sees R - 1 whole blocks and half of its own while all together see
// R R / 2: R / (2 R - 1). Nothing for any other case.
std::optional<double> load_bound(const Case& c);

struct PassRow {
  Case case_;
  std::optional<PassTime> forward, backward;
  std::string why_not;  // without times
};

struct ExchangeRow {
  ExchangeKind kind = ExchangeKind::all_gather;
  int64_t bytes = 0;  // that a rank gives
  bench::Spread seconds;
  Bandwidth bandwidth;  // by the median
};

// One shape. The first row is the kernel alone, on one rank.
struct ShapeTimes {
  std::string shape;
  Problem problem;
  std::vector<PassRow> passes;
  std::vector<ExchangeRow> exchanges;
  std::string not_run;                  // why nothing of it was timed
  std::optional<int64_t> asked_tokens;  // where ranks have a few more, so that all have alike
};

struct TimeTable {
  std::string bench = "methods", version, libtorch, transport, device;
  std::map<std::string, std::string> packages;  // versions of what is timed beside our own
  Question question;
  std::vector<ShapeTimes> shapes;

  int exit_code() const;  // 0, or 3 where a shape was not timed
};

// What is timed of a problem: the kernel, then ring (where U = 1), Ulysses (where R = 1) or unified
// attention on every factorisation of the ranks, a ring by all-gather and by send/receive, then
// gathered keys; then the other implementations asked for, on every factorisation. One rank has the
// kernel and each method on it.
std::vector<Case> timed_cases(const Question& question, const Problem& problem);

// Times each shape in rounds (rounds.h) in which all of it takes its turn. What the
// implementation or the backend refuses is a row that says why; a rank that is lost or throws is a
// shape that says so, and the next one has fresh ranks. Bytes are those of a pass of its own,
// after the timed ones.
TimeTable measure(const Registry& registry, Transport& transport, const Question& question,
                  const TellProgress& tell);

std::string table_text(const TimeTable& table);
std::string table_json(const TimeTable& table);

}  // namespace attncheck::timing

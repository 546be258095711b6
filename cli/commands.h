#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attncheck::cli {

// Each command returns the exit code (usage.h) and throws UsageError for a wrong request. Results
// go to stdout, progress to stderr.

inline constexpr uint64_t kDefaultSeed = 1;
inline constexpr const char* kDefaultCorpus = ".attncheck/corpus";  // in the working folder

// How rank processes are run.
struct RankArguments {
  std::string device;   // where tensors are, "cpu" or "cuda"; empty: as the transport has it
  double timeout = 30;  // seconds that a request may take; a collective has half of it
  std::string log_dir;  // what each rank prints goes here; empty: kept in memory
  std::optional<double> memory;  // GiB that the processes of a mesh may hold together
  std::optional<bool> isolate;   // sim's ranks in a process of their own; nothing: as is usual
  int64_t send_buffer = 0;       // bytes of a send that end before its receive is posted, on sim
};

struct CheckArguments {
  std::vector<std::string> impls, models, backends, meshes, transports, properties, dtypes;
  std::vector<std::string> shapes;  // attention of public models, instead of drawn sizes
  std::optional<double> scale;      // of their lengths
  std::optional<int64_t> cases;     // by stream
  uint64_t seed = kDefaultSeed;
  std::optional<double> time_limit;                  // seconds
  std::optional<int64_t> lanes;                      // of cases; one for each core by default
  std::string expect;                                // a file of known failures
  std::vector<std::string> corpora{kDefaultCorpus};  // folders; new failures go into the last
  std::string closest;                               // a file of closest calls
  int64_t steer = 25;                                // percent of the cases
  std::string json, junit, html;
  RankArguments ranks;
  bool quiet = false;
};
int check_command(const CheckArguments& arguments);

// `html`: a file for the report as a page; empty: none.
int replay_command(const std::string& case_text, const std::vector<std::string>& properties,
                   const RankArguments& ranks, const std::string& html);
// A file or a folder of a corpus, each case with its own property; nothing where there is none.
std::optional<int> replay_files(const std::string& path, const RankArguments& ranks);
int explain_command(const std::string& case_text, const RankArguments& ranks);

// What a prediction is asked for.
struct ScaleArguments {
  std::vector<std::string> links{"nvlink", "ib"};  // within a node, across nodes
  std::vector<int> worlds;                         // 8 and 64 where there are none
  std::vector<std::string> shapes;
  int node = 8;             // ranks
  double tflops = 400;      // of one rank's attention kernel
  std::string case_text;    // of a timeline
  std::string trace, html;  // files for it
};
int scale_command(const ScaleArguments& arguments, bool quiet, const std::string& json);

// What is timed, beside the shapes, the ranks (worlds) and the repetitions.
struct MethodsArguments {
  std::string transport;  // empty: gloo for peers, else nccl
  std::string backend;    // empty: cudnn on GPUs, flash_cpu on CPUs
  std::string dtype = "bf16";
  double scale = 1;              // of lengths
  std::vector<int64_t> lengths;  // instead of the shapes' own
  std::optional<int64_t> heads;  // of q, instead of the shapes' own
  bool causal = false;
  std::vector<std::string> impls;  // beside the built-in ones
  // Seconds that ranks have, whatever the work is; nothing: those of `ranks`, and more for times
  // where work is long.
  std::optional<double> rank_timeout;
  RankArguments ranks;
};

struct BenchArguments {
  std::string what;  // "harness", "methods", "peers", "scale" or "timeline"
  ScaleArguments scale;
  MethodsArguments methods;
  std::vector<std::string> budgets;  // all by default
  std::optional<int> repetitions;    // instead of what each budget would take
  std::string json;
  bool quiet = false;
};
int bench_command(const BenchArguments& arguments);
int methods_command(const BenchArguments& arguments);
int timeline_command(const BenchArguments& arguments);

// Two report files.
int compare_command(const std::string& before, const std::string& after, const std::string& json);

int list_command(const std::string& what);

// What rank processes run.
int rank_command();

}  // namespace attncheck::cli

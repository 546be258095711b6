#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attncheck::cli {

// Each command returns the exit code (usage.h) and throws UsageError for a wrong request. Results
// go to stdout, progress to stderr.

inline constexpr uint64_t kDefaultSeed = 1;

struct CheckArguments {
  std::vector<std::string> impls, backends, meshes, transports, properties, dtypes;
  std::optional<int64_t> cases;  // by stream
  uint64_t seed = kDefaultSeed;
  std::optional<double> time_limit;  // seconds
  std::string json;
  bool quiet = false;
};
int check_command(const CheckArguments& arguments);

int replay_command(const std::string& case_text);
int explain_command(const std::string& case_text);

struct MutantsArguments {
  std::vector<std::string> mutants;
  int64_t cases = 300;  // by mutant
  uint64_t seed = kDefaultSeed;
  std::string json;
  bool quiet = false;
};
int mutants_command(const MutantsArguments& arguments);

int list_command(const std::string& what);

// What Gloo's rank processes run.
int rank_command();

}  // namespace attncheck::cli

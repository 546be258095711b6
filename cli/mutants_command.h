#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

struct MutantsArguments {
  std::vector<std::string> mutants;
  std::optional<int64_t> cases;  // by mutant, of the matrix by mutant and seed
  uint64_t seed = kDefaultSeed;
  std::optional<int64_t> lanes;         // of mutants; one for each core by default
  bool matrix = false;                  // every property on every mutant, instead of hunts
  int seeds = 5;                        // of the matrix: as many from `seed` on
  std::vector<std::string> properties;  // of the matrix
  std::string json;
  RankArguments ranks;
  bool quiet = false;
};

// Which mutant is caught, and by which case. Returns the exit code (usage.h) and throws UsageError
// for a wrong request.
int mutants_command(const MutantsArguments& arguments);

// Adds the command and its flags; `command` is set when it is the one that was asked for.
void add_mutants(CLI::App& app, MutantsArguments& arguments, std::function<int()>& command);

}  // namespace attncheck::cli

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

struct MutantsArguments {
  std::vector<std::string> mutants;
  int64_t cases = 300;  // by mutant
  uint64_t seed = kDefaultSeed;
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

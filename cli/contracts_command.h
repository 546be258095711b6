#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/cudnn_command.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

struct ContractsArguments {
  std::vector<std::string> backends;
  std::string table;         // a file instead of the pinned table
  std::string meta;          // a file of what a release's meta kernels say
  bool print_table = false;  // instead of anything else
  CudnnArguments cudnn;      // --cudnn and --sm
  std::string json;
  bool quiet = false;
};

// What LibTorch's operators declare and return here, held against the table of releases. Returns
// the exit code (usage.h) and throws UsageError for a wrong request.
int contracts_command(const ContractsArguments& arguments);

// Adds the command and its flags; `command` is set when it is the one that was asked for.
void add_contracts(CLI::App& app, ContractsArguments& arguments, std::function<int()>& command);

}  // namespace attncheck::cli

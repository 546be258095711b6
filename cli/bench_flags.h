#pragma once

#include <functional>

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

// `bench` and its flags. Each says which benches use it; where it is given to another, the command
// throws UsageError.
void add_bench(CLI::App& app, BenchArguments& arguments, std::function<int()>& command);

}  // namespace attncheck::cli

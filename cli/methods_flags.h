#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

// The flags of `bench methods` that no other bench has.
void add_methods(CLI::App& bench, MethodsArguments& arguments);

}  // namespace attncheck::cli

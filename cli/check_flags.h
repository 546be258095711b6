#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

// What `check` takes for a run that is one of many: what it knows of earlier ones, and reports.
void add_memory(CLI::App* check, CheckArguments& arguments);

}  // namespace attncheck::cli

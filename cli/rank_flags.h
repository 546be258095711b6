#pragma once

#include "cli/commands.h"

namespace CLI {
class App;
}

namespace attncheck::cli {

// How ranks are run, and where their tensors are.
void add_ranks(CLI::App* app, RankArguments& ranks);
void add_device(CLI::App* app, RankArguments& ranks);

}  // namespace attncheck::cli

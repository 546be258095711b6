#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attncheck::cli {

// Gives --plugin to every command that speaks of subjects or properties, and to the ranks.
void add_plugins(CLI::App& app, std::vector<std::string>& paths);

}  // namespace attncheck::cli

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attncheck::cli {

// Gives --plugin to every command that speaks of subjects or properties, and to the ranks.
void add_plugins(CLI::App& app, std::vector<std::string>& paths);

// Gives the commands that run cases the flag by which the Python front hands on its callables.
void add_callables_flag(CLI::App& app, std::string& path);

}  // namespace attncheck::cli

#pragma once

#include <string>

#include "cli/commands.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace attncheck::cli {

// An option that is a path, and not an empty one.
CLI::Option* add_path(CLI::App* app, const char* flag, std::string& path, const char* help);

// What `check` takes for a run that is one of many: what it knows of earlier ones, and reports.
void add_memory(CLI::App* check, CheckArguments& arguments);

}  // namespace attncheck::cli

#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace attncheck::cli {

// Checks of CLI11's kind: empty, or what is wrong with the text.
std::string finite_number(const std::string& text);

// A flag that names a file or a folder.
CLI::Option* add_path(CLI::App* app, const char* flag, std::string& path, const char* help);

// How ranks are run, and where their tensors are.
void add_ranks(CLI::App* app, RankArguments& ranks);
void add_device(CLI::App* app, RankArguments& ranks);

}  // namespace attncheck::cli

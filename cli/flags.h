#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace attncheck::cli {

// Checks of CLI11's kind: empty, or what is wrong with the text. CLI11 itself would read "-1" as
// 2^64 - 1, and 2^64 as well; its ranges let "nan" through.
std::string whole_number(const std::string& text);
std::string finite_number(const std::string& text);

// A flag that takes names with commas between them.
CLI::Option* add_list(CLI::App* app, const char* flag, std::vector<std::string>& names,
                      const char* help);

// A flag that names a file or a folder.
CLI::Option* add_path(CLI::App* app, const char* flag, std::string& path, const char* help);

}  // namespace attncheck::cli

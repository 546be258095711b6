#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace attncheck::cli {

// A check of CLI11's kind: empty, or what is wrong with the text. CLI11 itself would read "-1" as
// 2^64 - 1, and 2^64 as well.
std::string whole_number(const std::string& text);

// A flag that takes names with commas between them.
void add_list(CLI::App* app, const char* flag, std::vector<std::string>& names, const char* help);

}  // namespace attncheck::cli

#include "cli/flags.h"

#include <charconv>
#include <cstdint>

#include <CLI/CLI.hpp>

namespace attncheck::cli {

std::string whole_number(const std::string& text) {
  uint64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last
             ? ""
             : "'" + text + "' is not a whole number from 0 to 2^64 - 1";
}

void add_list(CLI::App* app, const char* flag, std::vector<std::string>& names, const char* help) {
  app->add_option(flag, names, help)->delimiter(',')->allow_extra_args(false);
}

}  // namespace attncheck::cli

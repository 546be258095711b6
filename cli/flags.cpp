#include "cli/flags.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

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

std::string finite_number(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return *end == '\0' && std::isfinite(number) ? "" : "'" + text + "' is not a finite number";
}

CLI::Option* add_list(CLI::App* app, const char* flag, std::vector<std::string>& names,
                      const char* help) {
  return app->add_option(flag, names, help)->delimiter(',')->allow_extra_args(false);
}

CLI::Option* add_path(CLI::App* app, const char* flag, std::string& path, const char* help) {
  return app->add_option(flag, path, help)->check([](const std::string& given) {
    return given.empty() ? std::string("an empty path is no file") : std::string();
  });
}

}  // namespace attncheck::cli

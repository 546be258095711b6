#include "cli/show.h"

#include <cstdlib>
#include <string_view>

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/by_line.h"
#include "cli/fit.h"

namespace attncheck::cli {
namespace {

struct Verb {
  std::string_view words;  // as a line begins
  fmt::terminal_color colour;
};

constexpr fmt::terminal_color kBad = fmt::terminal_color::red, kGood = fmt::terminal_color::green,
                              kOpen = fmt::terminal_color::yellow;
constexpr Verb kVerbs[] = {{"FAILED", kBad},
                           {"SURVIVED", kBad},
                           {"CAUGHT WHERE RIGHT", kBad},
                           {"a fault is shown", kBad},
                           {"no fault is shown", kGood},
                           {"caught", kGood},
                           {"fixed", kGood},
                           {"known", kOpen},
                           {"equivalent", kOpen},
                           {"matched nothing", kOpen},
                           {"not run", kOpen},
                           {"not checked", kOpen},
                           {"new failure", kBad},
                           {"still fails", kBad},
                           {"not judged", kOpen},
                           {"NOT JUDGED", kOpen},
                           {"out of time", kOpen}};
constexpr std::string_view kRowOfTable = "  query rank ";  // then a rank, then cells

std::string painted(std::string_view words, fmt::terminal_color colour) {
  return fmt::format(fmt::fg(colour) | fmt::emphasis::bold, "{}", words);
}

bool shows_fault(std::string_view cell) {
  return cell.starts_with("->") || cell == "miss" || cell == "x2" || cell == "wrong";
}

std::string row_in_colour(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view cell = line.substr(begin, end - begin);
    text += line.substr(0, begin);
    text += shows_fault(cell) ? painted(cell, kBad) : std::string(cell);
    line.remove_prefix(end);
  }
  return text;
}

std::string line_in_colour(std::string_view line) {
  for (const Verb& verb : kVerbs) {
    if (!line.starts_with(verb.words)) continue;
    return painted(verb.words, verb.colour) + std::string(line.substr(verb.words.size()));
  }
  return line.starts_with(kRowOfTable) ? row_in_colour(line) : std::string(line);
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool takes_colour() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string in_colour(const std::string& text) {
  return by_line(text, line_in_colour);
}

void show(const std::string& text) {
  const std::string seen = isatty(STDOUT_FILENO) == 1 ? fitted(text) : text;
  fmt::print("{}", takes_colour() ? in_colour(seen) : seen);
}

}  // namespace attncheck::cli

#include "cli/fit.h"

#include <algorithm>
#include <string_view>

#include "cli/by_line.h"

namespace attncheck::cli {
namespace {

constexpr std::string_view kCopied[] = {"  case ", "  again ", "  drawn as ", "  listed "};
constexpr size_t kDeepest = 40;  // columns that a line may go on at

bool is_copied(std::string_view line) {
  return std::ranges::any_of(kCopied, [&](auto label) { return line.starts_with(label); });
}

// Below what a label of two spaces and a word stands before, else a little further in.
size_t depth_of(std::string_view line) {
  if (!line.starts_with("  ")) return 4;
  const size_t label = line.find_first_not_of(' ');
  const size_t text = line.find_first_not_of(' ', std::min(line.find(' ', label), line.size() - 1));
  return text < kDeepest ? text : label + 4;
}

// Where the line is cut: at the last space that leaves it short enough, or the first one there is.
size_t cut_of(std::string_view line, size_t depth) {
  const size_t begin = std::max(depth, line.find_first_not_of(' '));
  const size_t last = line.rfind(' ', kMostColumns);
  return last != std::string_view::npos && last > begin ? last : line.find(' ', begin + 1);
}

std::string fitted_line(std::string line) {
  if (is_copied(line)) return line;
  const std::string indent(depth_of(line), ' ');
  std::string text;
  while (line.size() > kMostColumns) {
    const size_t cut = cut_of(line, indent.size());
    if (cut >= line.size()) break;
    text += line.substr(0, line.find_last_not_of(' ', cut) + 1) + "\n";
    line = indent + line.substr(std::min(line.find_first_not_of(' ', cut), line.size()));
  }
  return text + line;
}

}  // namespace

std::string fitted(const std::string& text) {
  return by_line(text, fitted_line);
}

}  // namespace attncheck::cli

#include "cli/by_line.h"

#include <sstream>

namespace attncheck::cli {

std::string by_line(const std::string& text,
                    const std::function<std::string(const std::string&)>& make) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) all += make(line) + (lines.eof() ? "" : "\n");
  return all;
}

}  // namespace attncheck::cli

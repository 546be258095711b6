#include "cli/status_line.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/fit.h"
#include "cli/usage.h"

namespace attncheck::cli {

StatusLine::StatusLine(bool quiet) : quiet_(quiet), on_terminal_(isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (written_) tell(fmt::format("\r{:{}}\r", "", kMostColumns));
}

void StatusLine::show(const std::string& on_terminal, const std::string& elsewhere) {
  const std::string& line = on_terminal_ ? on_terminal : elsewhere;
  if (quiet_ || line.empty()) return;
  if (!on_terminal_) return tell(line + "\n");
  tell(fmt::format("\r{:<{}}", line.substr(0, kMostColumns), kMostColumns));
  written_ = true;
}

std::string time_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  const int64_t minutes = (whole + 59) / 60;
  return minutes < 60 ? fmt::format("{} min", minutes)
                      : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace attncheck::cli

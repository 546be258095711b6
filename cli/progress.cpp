#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/interrupt.h"

namespace attncheck::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kTerminalPause = 100ms;
constexpr auto kLogPause = 10s;
constexpr size_t kWidth = 100;

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(terminal_ ? start_ : start_ + kLogPause) {}

ProgressLine::~ProgressLine() {
  if (written_ && terminal_) fmt::print(stderr, "\r{:{}}\r", "", kWidth);
}

void ProgressLine::write(const std::string& line) {
  const std::string cut = line.substr(0, kWidth);
  if (terminal_) {
    fmt::print(stderr, "\r{:<{}}", cut, kWidth);
  } else {
    fmt::print(stderr, "{}\n", cut);
  }
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::operator()(const Progress& progress) {
  if (progress.doing == "cases") ++cases_, count_case();
  if (quiet_ || Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? Clock::duration(kTerminalPause) : Clock::duration(kLogPause));
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string place =
      total_streams_ > 0 ? fmt::format("[{}/{}] ", stream_, total_streams_) : "";
  const std::string rate = fmt::format("{} cases, {:.0f}/s, ", cases_, cases_ / seconds);
  write(
      place + rate +
      fmt::format("{} {}/{}, {}", progress.doing, progress.done, progress.total, progress.stream));
}

}  // namespace attncheck::cli

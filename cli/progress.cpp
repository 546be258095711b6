#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 100ms;
constexpr size_t kWidth = 100;

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet || isatty(STDERR_FILENO) != 1), next_(start_) {}

ProgressLine::~ProgressLine() {
  if (written_) tell(fmt::format("\r{:{}}\r", "", kWidth));
}

void ProgressLine::write(const std::string& line) {
  tell(fmt::format("\r{:<{}}", line.substr(0, kWidth), kWidth));
  written_ = true;
}

void ProgressLine::operator()(const Progress& progress) {
  if (progress.doing == "cases") ++cases_, count_case();
  if (quiet_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPause;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string place =
      total_streams_ > 0 ? fmt::format("[{}/{}] ", stream_, total_streams_) : "";
  const std::string rate = fmt::format("{} cases, {:.0f}/s, ", cases_, cases_ / seconds);
  write(
      place + rate +
      fmt::format("{} {}/{}, {}", progress.doing, progress.done, progress.total, progress.stream));
}

}  // namespace attncheck::cli

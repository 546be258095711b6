#include "cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/fit.h"
#include "cli/interrupt.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr auto kPauseOnTerminal = 100ms;
constexpr auto kPauseElsewhere = 60s;
constexpr Seconds kTooSoon{3};  // to say how long the rest takes
constexpr int kBar = 20;

std::string time_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  const int64_t minutes = (whole + 59) / 60;
  return minutes < 60 ? fmt::format("{} min", minutes)
                      : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      next_(on_terminal_ ? start_ : start_ + kPauseElsewhere) {}

ProgressLine::~ProgressLine() {
  if (written_) tell(fmt::format("\r{:{}}\r", "", kMostColumns));
}

void ProgressLine::write(const std::string& line) {
  tell(fmt::format("\r{:<{}}", line.substr(0, kMostColumns), kMostColumns));
  written_ = true;
}

std::string ProgressLine::bar() const {
  const auto done = static_cast<int>(kBar * share_);
  return fmt::format("[{:#<{}}{:.<{}}]", "", done, "", kBar - done);
}

std::string ProgressLine::rate(Clock::time_point now) const {
  const Seconds elapsed = now - start_;
  const std::string done = fmt::format("{} cases, {:.0f}/s", cases_, cases_ / elapsed.count());
  if (elapsed < kTooSoon || share_ <= 0) return done;
  double left = elapsed.count() * (1 - share_) / share_;
  if (deadline_ != Clock::time_point::max()) {
    left = std::min(left, std::max(0.0, Seconds(deadline_ - now).count()));
  }
  return fmt::format("{}, {} left", done, time_text(left));
}

void ProgressLine::operator()(const Progress& progress) {
  if (progress.doing == "cases") {
    ++cases_, count_case();
    const double of_stream =
        static_cast<double>(progress.done) / std::max<int64_t>(1, progress.total);
    if (total_streams_ > 0) {
      share_ = std::clamp((stream_ - 1 + of_stream) / total_streams_, share_, 1.0);
    }
  }
  const auto now = Clock::now();
  if (deadline_ != Clock::time_point::max()) {
    share_ = std::clamp(Seconds(now - start_) / Seconds(deadline_ - start_), share_, 1.0);
  }
  if (quiet_ || now < next_) return;
  next_ = now + (on_terminal_ ? Clock::duration(kPauseOnTerminal) : kPauseElsewhere);
  const std::string doing =
      fmt::format("{}: {} {}/{}", progress.stream, progress.doing, progress.done, progress.total);
  if (on_terminal_) {
    write(fmt::format("{} {:2.0f} %  {}  {}", bar(), 100 * share_, rate(now), doing));
  } else {
    tell(fmt::format("attncheck: {:.0f} %, {}; {}\n", 100 * share_, rate(now), doing));
  }
}

}  // namespace attncheck::cli

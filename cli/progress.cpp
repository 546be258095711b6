#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/interrupt.h"

namespace attncheck::cli {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr auto kPauseOnTerminal = 100ms;
constexpr auto kPauseElsewhere = 60s;
constexpr Seconds kTooSoon{3};  // to say how long the rest takes
constexpr int kBar = 20;

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : line_(quiet), next_(line_.on_terminal() ? start_ : start_ + kPauseElsewhere) {}

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
  } else {
    note_shrinking();
  }
  const auto now = Clock::now();
  if (deadline_ != Clock::time_point::max()) {
    share_ = std::clamp(Seconds(now - start_) / Seconds(deadline_ - start_), share_, 1.0);
  }
  if (now < next_) return;
  next_ = now + (line_.on_terminal() ? Clock::duration(kPauseOnTerminal) : kPauseElsewhere);
  const std::string doing =
      fmt::format("{}: {} {}/{}", progress.stream, progress.doing, progress.done, progress.total);
  const double percent = 100 * share_;
  line_.show(fmt::format("{} {:2.0f} %  {}  {}", bar(), percent, rate(now), doing),
             fmt::format("attncheck: {:.0f} %, {}; {}", percent, rate(now), doing));
}

}  // namespace attncheck::cli

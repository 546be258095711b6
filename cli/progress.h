#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/drive/check_stream.h"

namespace attncheck::cli {

// Tells people who wait how far the work is: on a terminal's stderr one line with a bar, written
// over; elsewhere, as in a CI's log, a plain line a minute. Nothing when quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;

  // Streams are taken to be alike: what is done of them says how much time is left.
  void set_total_streams(int64_t total) { total_streams_ = total; }
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  void begin_stream() { ++stream_; }
  void operator()(const Progress& progress);

 private:
  std::string bar() const;
  std::string rate(Clock::time_point now) const;  // "1234 cases, 95/s, 4 min left"
  void write(const std::string& line);

  const bool quiet_, on_terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_, deadline_ = Clock::time_point::max();
  int64_t stream_ = 0, total_streams_ = 0, cases_ = 0;
  double share_ = 0;  // of the work, done
  bool written_ = false;
};

}  // namespace attncheck::cli

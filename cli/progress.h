#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/status_line.h"
#include "harness/drive/check_stream.h"

namespace attncheck::cli {

// How far the work is: on a terminal a line with a bar, elsewhere a plain line a minute.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);

  // Streams are taken to be alike: what is done of them says how much time is left.
  void set_total_streams(int64_t total) { total_streams_ = total; }
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  void begin_stream() { ++stream_; }
  void operator()(const Progress& progress);

 private:
  std::string bar() const;
  std::string rate(Clock::time_point now) const;  // "1234 cases, 95/s, 4 min left"

  StatusLine line_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_, deadline_ = Clock::time_point::max();
  int64_t stream_ = 0, total_streams_ = 0, cases_ = 0;
  double share_ = 0;  // of the work, done
};

}  // namespace attncheck::cli

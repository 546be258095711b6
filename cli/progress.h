#pragma once

#include <cstdint>
#include <string>

#include "harness/drive/check_stream.h"

namespace attncheck::cli {

// Tells people who wait what is being done: one line on a terminal's stderr, written over; nothing
// when quiet, or where stderr is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;

  void set_total_streams(int64_t total) { total_streams_ = total; }
  void begin_stream() { ++stream_; }
  void operator()(const Progress& progress);

 private:
  void write(const std::string& line);

  const bool quiet_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  int64_t stream_ = 0, total_streams_ = 0, cases_ = 0;
  bool written_ = false;
};

}  // namespace attncheck::cli

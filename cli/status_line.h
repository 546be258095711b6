#pragma once

#include <string>

namespace attncheck::cli {

// What people who wait are told on stderr: on a terminal one line, written over and in the end
// taken away; elsewhere, as in a CI's log, lines. Nothing when quiet.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;

  bool on_terminal() const { return on_terminal_; }
  // One of the two; nothing is written of what is empty.
  void show(const std::string& on_terminal, const std::string& elsewhere);

 private:
  const bool quiet_, on_terminal_;
  bool written_ = false;
};

// "45 s", "3 min", "2 h 10 min", rounded up.
std::string time_text(double seconds);

}  // namespace attncheck::cli

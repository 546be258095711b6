#pragma once

#include <cstddef>
#include <string>

#include "gloo_cpu/unique_fd.h"

namespace attncheck::gloo_cpu {

// What one rank process writes to stdout and stderr: appended to a file, or kept in memory for as
// long as a request lasts.
class RankLog {
 public:
  // `folder` empty: in memory. Otherwise the file <folder>/<prefix>rank<N>.log, appended to; the
  // folder is made if needed. Throws if the file cannot be written.
  RankLog(const std::string& folder, const std::string& prefix, int rank);

  int fd() const { return fd_.get(); }
  // From here on, tail() means what comes after this moment.
  void mark();
  // The last `limit` bytes written since mark().
  std::string tail(std::size_t limit) const;
  // What it takes of this machine's memory.
  int64_t bytes_in_memory() const;

 private:
  UniqueFd fd_;
  bool in_memory_;
  std::size_t mark_ = 0;  // bytes from the start
};

}  // namespace attncheck::gloo_cpu

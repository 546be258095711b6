#pragma once

#include <string>

namespace attncheck::cli {

// A file that a report will be written to. Made before the run, so that a path that cannot be
// written is refused at once: throws UsageError. An empty path is no file.
class ReportFile {
 public:
  explicit ReportFile(std::string path);
  // Throws std::runtime_error when it can no longer be written.
  void write(const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace attncheck::cli

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace attncheck::cli {

// Flags and the paths that were given with them, empty where none was. Two reports in one file
// would be one: throws UsageError, which names both flags.
void require_apart(const std::vector<std::pair<const char*, std::string>>& files);

// A file that a report will be written to. Made before the run, so that a path that cannot be
// written is refused at once; written beside its path first, so that nobody reads half of it and an
// old report stays until there is a new one.
class ReportFile {
 public:
  // Throws UsageError, which names the flag, for a path that cannot be written. An empty path is no
  // file.
  ReportFile(const std::string& flag, const std::string& path);
  // Leaves nothing behind that was not written to the end.
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  // Throws std::runtime_error when it can no longer be written.
  void write(const std::string& text);

 private:
  std::string path_;
  std::string unfinished_;  // where it is written first; the path itself for a pipe or a device
};

}  // namespace attncheck::cli

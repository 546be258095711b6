#include "cli/report_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/usage.h"

namespace attncheck::cli {
namespace {

namespace fs = std::filesystem;

// A pipe or a device cannot be replaced by a file.
bool is_special(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// A symbolic link stays one: what it leads to is replaced.
std::string replaced_place(const std::string& path) {
  constexpr int kMostLinks = 40;  // one to another, as the system has it
  if (is_special(path)) return path;
  std::error_code none;
  fs::path place = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(place, none); ++i) {
    place = place.parent_path() / fs::read_symlink(place, none);
  }
  return place.string();
}

// The same for every path that leads there.
fs::path place_of(const std::string& path) {
  std::error_code none;
  return fs::weakly_canonical(fs::absolute(replaced_place(path), none), none);
}

}  // namespace

void require_apart(const std::vector<std::pair<const char*, std::string>>& files) {
  for (size_t a = 0; a < files.size(); ++a) {
    for (size_t b = a + 1; b < files.size(); ++b) {
      const auto& [flag, path] = files[a];
      const auto& [other_flag, other_path] = files[b];
      if (path.empty() || other_path.empty() || place_of(path) != place_of(other_path)) continue;
      throw UsageError(
          fmt::format("{} and {} are one file, '{}': name two", flag, other_flag, path));
    }
  }
}

ReportFile::ReportFile(const std::string& flag, const std::string& path)
    : path_(replaced_place(path)) {
  if (path_.empty()) return;
  std::error_code none;
  const bool is_folder = fs::is_directory(path_, none);
  unfinished_ = is_special(path_) ? path_ : path_ + "." + std::to_string(::getpid()) + ".tmp";
  errno = is_folder ? EISDIR : 0;
  const bool writable = !is_folder && std::ofstream(unfinished_, std::ios::app) &&
                        (!fs::exists(path_, none) || ::access(path_.c_str(), W_OK) == 0);
  if (unfinished_ != path_) remove_when_interrupted(unfinished_);
  if (writable) return;
  const std::string why = std::strerror(errno);
  if (unfinished_ != path_) std::remove(unfinished_.c_str());
  throw UsageError(flag + ": cannot write '" + path_ + "': " + why);
}

ReportFile::~ReportFile() {
  if (!unfinished_.empty() && unfinished_ != path_) std::remove(unfinished_.c_str());
}

void ReportFile::write(const std::string& text) {
  if (path_.empty()) return;
  std::ofstream file(unfinished_, std::ios::trunc);
  file << text;
  file.close();
  const bool written =
      file && (unfinished_ == path_ || std::rename(unfinished_.c_str(), path_.c_str()) == 0);
  if (!written) throw std::runtime_error("cannot write '" + path_ + "': " + std::strerror(errno));
}

}  // namespace attncheck::cli

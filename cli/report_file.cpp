#include "cli/report_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "cli/usage.h"

namespace attncheck::cli {

ReportFile::ReportFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  errno = 0;
  if (!std::ofstream(path_, std::ios::app)) {
    throw UsageError("--json: cannot write '" + path_ + "': " + std::strerror(errno));
  }
}

void ReportFile::write(const std::string& text) const {
  if (path_.empty()) return;
  std::ofstream file(path_, std::ios::trunc);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write '" + path_ + "'");
}

}  // namespace attncheck::cli

#include "gloo_cpu/rank_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace attncheck::gloo_cpu {
namespace {

// Appending, so that a file cut short by mark() grows from its new end.
int open_in_memory() {
  const int fd = ::memfd_create("attncheck-rank-log", MFD_CLOEXEC);
  TORCH_CHECK(fd >= 0 && ::fcntl(fd, F_SETFL, O_APPEND) == 0,
              "cannot keep a rank's output: ", std::strerror(errno));
  return fd;
}

int open_in_folder(const std::string& folder, const std::string& prefix, int rank) {
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + prefix + "rank" + std::to_string(rank) + ".log";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  TORCH_CHECK(fd >= 0, "cannot write ", path, ": ", std::strerror(errno));
  return fd;
}

std::size_t size_of(int fd) {
  struct stat status {};
  TORCH_CHECK(::fstat(fd, &status) == 0, "cannot read a rank's output: ", std::strerror(errno));
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

RankLog::RankLog(const std::string& folder, const std::string& prefix, int rank)
    : fd_(folder.empty() ? open_in_memory() : open_in_folder(folder, prefix, rank)),
      in_memory_(folder.empty()) {
  mark();
}

void RankLog::mark() {
  mark_ = size_of(fd_.get());
  if (in_memory_ && mark_ > 0 && ::ftruncate(fd_.get(), 0) == 0) mark_ = 0;
}

int64_t RankLog::bytes_in_memory() const {
  return in_memory_ ? static_cast<int64_t>(size_of(fd_.get())) : 0;
}

std::string RankLog::tail(std::size_t limit) const {
  const std::size_t end = size_of(fd_.get());
  const std::size_t begin = std::max(mark_, end > limit ? end - limit : 0);
  std::string text(end > begin ? end - begin : 0, '\0');
  const ssize_t got = ::pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(begin));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace attncheck::gloo_cpu

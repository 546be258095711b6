#include "gloo_cpu/process_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <unistd.h>

namespace attncheck::gloo_cpu {
namespace {

constexpr int64_t kKilo = 1024;

// A file of one number; the largest one where there is no such file, or a word for "no limit".
int64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  int64_t limit = 0;
  return file >> limit ? limit : std::numeric_limits<int64_t>::max();
}

// Control groups nest: the limit of each one from this process's up to the root counts.
int64_t control_group_limit() {
  int64_t limit = std::numeric_limits<int64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    std::string group = line.substr(3);
    while (!group.empty()) {
      limit = std::min(limit, limit_in("/sys/fs/cgroup" + group + "/memory.max"));
      group = group.substr(0, group.rfind('/'));
    }
  }
  limit = std::min(limit, limit_in("/sys/fs/cgroup/memory.max"));
  return std::min(limit, limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

}  // namespace

int64_t memory_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  int64_t kilobytes = 0;
  for (std::string line; std::getline(status, line);) {
    for (const char* part : {"RssAnon:", "RssShmem:", "VmSwap:"}) {
      if (!line.starts_with(part)) continue;
      int64_t amount = 0;
      std::istringstream(line.substr(std::string(part).size())) >> amount;
      kilobytes += amount;
    }
  }
  return kilobytes * kKilo;
}

int64_t machine_memory() {
  const int64_t pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return std::min(pages * page, control_group_limit());
}

}  // namespace attncheck::gloo_cpu

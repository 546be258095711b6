#include "tests/gloo_cpu/left_behind.h"

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attncheck {
namespace {

// At most 15 letters, as the system has it.
std::string name_under(pid_t coordinator) {
  return "left-" + std::to_string(coordinator);
}

[[noreturn]] void sleep_as(const char* name) {
  ::prctl(PR_SET_NAME, name);
  for (;;) ::pause();
}

}  // namespace

void leave_a_process(bool in_a_session_of_its_own) {
  const std::string name = name_under(::getppid());
  const pid_t child = ::fork();
  if (child != 0) {
    if (in_a_session_of_its_own) ::waitpid(child, nullptr, 0);
    return;
  }
  if (!in_a_session_of_its_own) sleep_as(name.c_str());
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  sleep_as(name.c_str());
}

int processes_left() {
  const std::string name = name_under(::getpid());
  int left = 0;
  std::error_code gone;
  std::filesystem::directory_iterator process("/proc", gone);
  for (; !gone && process != std::filesystem::directory_iterator(); process.increment(gone)) {
    std::string line;
    std::ifstream file(process->path() / "stat");
    std::getline(file, line);
    const bool dead = line.find(") Z ") != std::string::npos;
    if (line.find("(" + name + ")") != std::string::npos && !dead) ++left;
  }
  return left;
}

}  // namespace attncheck

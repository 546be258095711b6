#include "gloo_cpu/child_process.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace attncheck::gloo_cpu {
namespace {

constexpr int kNotStarted = 127;  // as in a shell
// SIGKILL ends a process at once unless it hangs in the kernel; a destructor must still return.
constexpr std::chrono::seconds kKillPatience{5};

// The children that nobody has waited for yet. Leaked, so that it outlives every static.
struct Living {
  std::mutex mutex;
  std::set<pid_t> pids;
};

Living& living() {
  static auto* const all = new Living;
  return *all;
}

std::atomic<bool> adopts{false};

// A child leads a group of its own name, in which what it forks stays unless it leaves on purpose.
void kill_group(pid_t leader) {
  ::kill(-leader, SIGKILL);
  ::kill(leader, SIGKILL);  // where it had no time to found the group
}

// As waitpid with WNOHANG. What the child left in its group ends with it; while the child is not
// waited for, nobody else has the group's name.
pid_t wait_with_group(pid_t pid, int& status) {
  siginfo_t info{};
  const int waited = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  if (waited == 0 && info.si_pid == 0) return 0;
  if (waited == 0) ::kill(-pid, SIGKILL);
  return ::waitpid(pid, &status, WNOHANG);
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Runs between fork and exec, so it calls nothing that allocates or locks. (execvpe neither: glibc
// 2.24 and later.)
[[noreturn]] void become(const ChildCommand& command, char* const* argv, char* const* environment,
                         pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(kNotStarted);
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(command.output, STDOUT_FILENO);
  ::dup2(command.output, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (int fd : command.kept) ::fcntl(fd, F_SETFD, 0);
  ::execvpe(argv[0], argv, environment);
  const char* why = ::strerrordesc_np(errno);
  for (const char* text : {"cannot start ", static_cast<const char*>(argv[0]), ": ", why, "\n"}) {
    if (::write(STDERR_FILENO, text, ::strlen(text)) < 0) break;
  }
  ::_exit(kNotStarted);
}

std::string folder_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

// Behind the name in the line that the system gives for a process or thread (proc(5)), of that
// folder: its state, its parent, ...; empty when it is gone.
std::string stat_in(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  const std::string stat((std::istreambuf_iterator<char>(file)), {});
  const size_t name_end = stat.rfind(") ");
  return name_end == std::string::npos ? "" : stat.substr(name_end + 2);
}

std::vector<pid_t> children_of_this_process() {
  std::vector<pid_t> children;
  const std::string own = " " + std::to_string(::getpid()) + " ";
  std::error_code gone;
  std::filesystem::directory_iterator process("/proc", gone);
  for (; !gone && process != std::filesystem::directory_iterator(); process.increment(gone)) {
    const pid_t pid = std::atoi(process->path().filename().c_str());
    if (pid > 0 && stat_in(folder_of(pid)).find(own) == 1) children.push_back(pid);
  }
  return children;
}

// Children that are none of `kept`, and then what these leave, until none comes any more.
void kill_adopted(const std::set<pid_t>& kept) {
  const auto give_up = std::chrono::steady_clock::now() + kKillPatience;
  for (bool any = adopts; any && std::chrono::steady_clock::now() < give_up;) {
    any = false;
    for (pid_t pid : children_of_this_process()) {
      if (kept.count(pid) > 0) continue;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, WNOHANG);
      any = true;
    }
    if (any) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// X when it is gone.
char state_in(const std::string& folder) {
  const std::string stat = stat_in(folder);
  return stat.empty() ? 'X' : stat[0];
}

bool any_thread_runs(pid_t pid) {
  std::error_code gone;
  std::filesystem::directory_iterator thread(folder_of(pid) + "/task", gone);
  for (; !gone && thread != std::filesystem::directory_iterator(); thread.increment(gone)) {
    if (state_in(thread->path().string()) == 'R') return true;
  }
  return false;
}

void check_descriptors(const ChildCommand& command) {
  TORCH_CHECK(command.output > STDERR_FILENO, "a child's output must be above the standard streams",
              ", got descriptor ", command.output);
  for (int fd : command.kept) {
    TORCH_CHECK(fd > STDERR_FILENO, "a kept descriptor must be above the standard streams, got ",
                fd);
  }
}

}  // namespace

ChildProcess::ChildProcess(const ChildCommand& command) {
  TORCH_CHECK(!command.argv.empty(), "a command needs at least a program, got no words");
  check_descriptors(command);
  const std::vector<char*> argv = pointers_to(command.argv);
  const std::vector<char*> environment = pointers_to(command.environment);
  const pid_t parent = ::getpid();
  const std::lock_guard lock(living().mutex);
  pid_ = ::fork();
  if (pid_ == 0) become(command, argv.data(), environment.data(), parent);
  TORCH_CHECK(pid_ > 0, "fork failed: ", std::strerror(errno));
  ::setpgid(pid_, pid_);  // whichever of the two is first
  living().pids.insert(pid_);
}

ChildProcess::~ChildProcess() {
  kill();
  const auto give_up = std::chrono::steady_clock::now() + kKillPatience;
  while (!ending() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

const std::optional<Ending>& ChildProcess::ending() {
  if (ending_) return ending_;
  int status = 0;
  const pid_t waited = wait_with_group(pid_, status);
  if (waited == pid_) {
    const bool signalled = WIFSIGNALED(status);
    ending_ = Ending{signalled, signalled ? WTERMSIG(status) : WEXITSTATUS(status)};
  } else if (waited < 0 && errno == ECHILD) {
    ending_ = Ending{false, -1};
  }
  if (ending_) {
    const std::lock_guard lock(living().mutex);
    living().pids.erase(pid_);
  }
  return ending_;
}

bool ChildProcess::stopped() const {
  const char state = state_in(folder_of(pid_));
  return state == 'T' || state == 't';
}

std::string ChildProcess::activity() const {
  if (stopped()) return "stopped by a signal";
  if (any_thread_runs(pid_)) return "running";
  const char state = state_in(folder_of(pid_));
  return state == 'X' || state == 'Z' ? "gone" : "waiting";
}

void ChildProcess::kill() {
  if (!ending()) kill_group(pid_);
}

void end_all_children() {
  Living& all = living();
  all.mutex.lock();  // for good
  for (pid_t pid : all.pids) kill_group(pid);
  const auto give_up = std::chrono::steady_clock::now() + kKillPatience;
  int status = 0;
  for (pid_t pid : all.pids) {
    while (wait_with_group(pid, status) == 0 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  kill_adopted({});
}

void adopt_orphans() {
  if (children_of_this_process().empty()) adopts = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void end_orphans() {
  const std::lock_guard lock(living().mutex);
  kill_adopted(living().pids);
}

}  // namespace attncheck::gloo_cpu

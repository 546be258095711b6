#include "cli/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "cli/usage.h"
#include "gloo_cpu/child_process.h"

namespace attncheck::cli {
namespace {

// Leaked: the thread that waits for signals may outlive every static.
struct Interrupted {
  std::atomic<int64_t> cases{0};
  std::atomic<bool> shrinking{false};
  std::mutex mutex;
  std::vector<std::string> files;
  std::function<std::string()> last_words;
};

Interrupted& state() {
  static auto* const all = new Interrupted;
  return *all;
}

sigset_t watched_signals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    const bool ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) sigaddset(&watched, signal);
  }
  return watched;
}

// Everything at once and before anything that may block: a second signal ends the process.
void let_signals_through(const sigset_t& watched) {
  ::pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
}

// To that descriptor, as far as it takes it.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void end_by(int signal) {
  if (state().last_words && !is_silent()) write_all(STDOUT_FILENO, state().last_words());
  gloo_cpu::end_all_children();
  for (const std::string& file : state().files) std::remove(file.c_str());
  const std::string line = fmt::format(
      "{}attncheck: interrupted by signal {} ({}) after {} cases{}; no ranks are left\n",
      ::isatty(STDERR_FILENO) == 1 ? "\n" : "", signal, ::strsignal(signal), state().cases.load(),
      state().shrinking ? ", shrinking the next" : "");
  const bool told = is_silent() || write_all(STDERR_FILENO, line);
  if (!told) ::_exit(128 + signal);
  ::kill(::getpid(), signal);
  ::pause();
}

}  // namespace

void end_in_order_when_interrupted() {
  const sigset_t watched = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  std::thread([watched] {
    int signal = 0;
    if (::sigwait(&watched, &signal) != 0) return;
    let_signals_through(watched);
    state().mutex.lock();  // for good: no more files
    end_by(signal);
  }).detach();
}

void count_case() {
  ++state().cases;
  state().shrinking = false;
}

void note_shrinking() {
  state().shrinking = true;
}

void say_when_interrupted(std::function<std::string()> last_words) {
  const std::lock_guard lock(state().mutex);
  state().last_words = std::move(last_words);
}

void remove_when_interrupted(const std::string& path) {
  const std::lock_guard lock(state().mutex);
  state().files.push_back(path);
}

}  // namespace attncheck::cli

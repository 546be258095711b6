#include "cli/crash_words.h"

#include <array>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "harness/doing.h"

namespace attncheck::cli {
namespace {

// Calls nothing that allocates or locks.
void name_the_crash(int signal) {
  if (const Doing* doing = Doing::now()) {
    const char* description = ::sigdescr_np(signal);
    for (const char* text :
         {"attncheck: could not check: ", description == nullptr ? "a signal" : description, " in ",
          doing->what(), " '", doing->name(), "'\n"}) {
      if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) break;
    }
  }
  ::raise(signal);  // as it would have been
}

}  // namespace

void name_crashes() {
  static std::array<char, 64 << 10> stack;
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  ::sigaltstack(&own, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction usual {};
    // A sanitizer has more to say.
    if (::sigaction(signal, nullptr, &usual) != 0 || usual.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = name_the_crash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace attncheck::cli

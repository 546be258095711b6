#include "cli/early_exit.h"

#include <atomic>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "cli/usage.h"
#include "gloo_cpu/child_process.h"
#include "harness/doing.h"

namespace attncheck::cli {
namespace {

std::atomic<bool> end_reached{false}, ranks_here{false};

// Ranks of sim have threads of their own here, unless they are isolated.
std::string where() {
  if (const Doing* doing = Doing::now()) return " in " + doing->text();
  if (!ranks_here) return "";
  return "; if that was a rank of sim, --isolate runs it in a process of its own and names the "
         "case";
}

void refuse_an_early_exit() {
  if (end_reached) return;
  tell("attncheck: could not check: code under test ended this program by exit()" + where() + "\n");
  gloo_cpu::end_all_children();
  ::_exit(kNotChecked);
}

}  // namespace

void guard_the_exit() {
  std::atexit(refuse_an_early_exit);
  std::at_quick_exit(refuse_an_early_exit);
}

void ranks_run_here() {
  ranks_here = true;
}

void reach_the_end() {
  end_reached = true;
}

}  // namespace attncheck::cli

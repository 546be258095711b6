#include "cli/early_exit.h"

#include <atomic>
#include <cstdlib>

#include <unistd.h>

#include "cli/usage.h"
#include "gloo_cpu/child_process.h"

namespace attncheck::cli {
namespace {

std::atomic<bool> end_reached{false};

void refuse_an_early_exit() {
  if (end_reached) return;
  tell(
      "attncheck: could not check: code under test ended this program by exit(); --isolate runs it "
      "in a process of its own and names the case\n");
  gloo_cpu::end_all_children();
  ::_exit(kNotChecked);
}

}  // namespace

void guard_the_exit() {
  std::atexit(refuse_an_early_exit);
  std::at_quick_exit(refuse_an_early_exit);
}

void reach_the_end() {
  end_reached = true;
}

}  // namespace attncheck::cli

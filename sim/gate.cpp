#include "sim/gate.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace attncheck::sim {

void Gate::open() {
  open_.store(1, std::memory_order_release);
  syscall(SYS_futex, &open_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Gate::pass() {
  while (open_.exchange(0, std::memory_order_acquire) == 0) {
    syscall(SYS_futex, &open_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
}

}  // namespace attncheck::sim

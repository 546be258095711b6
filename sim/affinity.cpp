#include "sim/affinity.h"

#include <pthread.h>

namespace attncheck::sim {

int current_core() {
  const int core = sched_getcpu();
  return core < 0 ? 0 : core;
}

CorePin::CorePin(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (pthread_getaffinity_np(pthread_self(), sizeof(before_), &before_) != 0) return;
  if (CPU_EQUAL(&one, &before_)) return;
  moved_ = pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0;
}

CorePin::~CorePin() {
  if (moved_) pthread_setaffinity_np(pthread_self(), sizeof(before_), &before_);
}

}  // namespace attncheck::sim

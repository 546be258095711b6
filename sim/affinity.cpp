#include "sim/affinity.h"

#include <pthread.h>

namespace attncheck::sim {

std::vector<int> granted_cores() {
  cpu_set_t granted;
  CPU_ZERO(&granted);
  if (sched_getaffinity(0, sizeof(granted), &granted) != 0) return {current_core()};
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &granted)) cores.push_back(core);
  }
  return cores;
}

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

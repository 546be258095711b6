#pragma once

#include "properties/rank_result.h"

namespace attncheck {

// The threads of this process from the moment on that it is made.
class OwnThreads {
 public:
  OwnThreads();
  // How many there are more than then. Those that are about to end get a moment for it.
  int left() const;

 private:
  int before_;
};

// As the facts "threads_left" and "process" of what a rank gave; nothing where none were left.
void note_threads_left(int threads, RankResult& result);

}  // namespace attncheck

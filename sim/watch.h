#pragma once

#include <ATen/record_function.h>

namespace attncheck::sim {

// While it lives, and is on, every operator that the calling thread calls is looked at: one that
// reads the output of an exchange in flight of the thread's rank, or writes its output or input, is
// reported (FindingKind::read_early, written_early). An argument that an operator only views or
// only asks for its sizes is neither. Operators of c10d itself are not looked at: an exchange
// reports what it is posted with.
class Watch {
 public:
  explicit Watch(bool on);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  at::CallbackHandle handle_ = at::INVALID_CALLBACK_HANDLE;
};

}  // namespace attncheck::sim

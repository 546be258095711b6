#pragma once

#include <atomic>

#include "gloo_cpu/unique_fd.h"

namespace attncheck::gloo_cpu {

// A number in memory that a process and its children share. It reaches a child by its descriptor
// alone, whatever the child execs; what a child wrote last is there however it ended.
class SharedWord {
 public:
  // A new one, of 0.
  SharedWord();
  // In a child: the one of that descriptor, which its parent made.
  explicit SharedWord(int descriptor);
  ~SharedWord();
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  std::atomic<int>& value() { return *value_; }
  int descriptor() const { return file_.get(); }

 private:
  explicit SharedWord(UniqueFd file);

  static_assert(std::atomic<int>::is_always_lock_free);
  UniqueFd file_;
  std::atomic<int>* value_ = nullptr;
};

}  // namespace attncheck::gloo_cpu

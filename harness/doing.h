#pragma once

#include <string>

#include "problem/case.h"

namespace attncheck {

// What this thread is asking of others' code, outside of any rank, for as long as the object lives.
// Where that code ends the process, nothing else can say it. Exit handlers run in the thread that
// called exit(), and handlers of its faults in the thread that made them.
class Doing {
 public:
  // "WHAT 'NAME'", e.g. "supports() of" and "ring". All three outlive the object.
  Doing(const char* what, const std::string& name, const Case* c = nullptr);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

  // The innermost; nullptr: nothing.
  static const Doing* now();

  const char* what() const { return what_; }
  const char* name() const { return name_.c_str(); }
  // "supports() of 'ring', case: impl=ring ..."
  std::string text() const;

 private:
  const char* what_;
  const std::string& name_;
  const Case* case_;
  const Doing* outer_;
};

}  // namespace attncheck

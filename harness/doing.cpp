#include "harness/doing.h"

#include "problem/case_text.h"

namespace attncheck {
namespace {

thread_local const Doing* innermost = nullptr;

}  // namespace

Doing::Doing(const char* what, const std::string& name, const Case* c)
    : what_(what), name_(name), case_(c), outer_(innermost) {
  innermost = this;
}

Doing::~Doing() {
  innermost = outer_;
}

const Doing* Doing::now() {
  return innermost;
}

std::string Doing::text() const {
  const std::string text = std::string(what_) + " '" + name_ + "'";
  return case_ == nullptr ? text : text + ", case: " + to_text(*case_);
}

}  // namespace attncheck

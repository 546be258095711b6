#include "cli/usage.h"

#include <atomic>
#include <cstdio>

#include "problem/case_text.h"

namespace attncheck::cli {

namespace {

std::atomic<bool> silent{false};

}  // namespace

void be_silent() {
  silent = true;
}

bool is_silent() {
  return silent;
}

void tell(const std::string& text) {
  if (silent) return;
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

Case case_argument(const std::string& text) {
  try {
    return parse_case(text);
  } catch (const CaseTextError& error) {
    throw UsageError(std::string("the case is malformed, ") + error.what());
  }
}

}  // namespace attncheck::cli

#include "cli/usage.h"

#include <cstdio>

#include "problem/case_text.h"

namespace attncheck::cli {

void tell(const std::string& text) {
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

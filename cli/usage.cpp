#include "cli/usage.h"

#include "problem/case_text.h"

namespace attncheck::cli {

Case case_argument(const std::string& text) {
  try {
    return parse_case(text);
  } catch (const CaseTextError& error) {
    throw UsageError(std::string("the case is malformed, ") + error.what());
  }
}

}  // namespace attncheck::cli

#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "problem/case.h"

namespace attncheck::cli {

// Exit codes (DESIGN section 6).
inline constexpr int kHeld = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongRequest = 2;
inline constexpr int kNotChecked = 3;

// The request is wrong: what() is one line that says what would be right.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes to stderr, and does nothing where that is closed or full: what is said there is never
// worth a run.
void tell(const std::string& text);
// From here on this process tells nothing: in a launched world one process speaks for all.
void be_silent();
bool is_silent();

// Reads a case and throws UsageError, with the column, for text that is none.
Case case_argument(const std::string& text);

}  // namespace attncheck::cli

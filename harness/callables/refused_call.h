#pragma once

#include <stdexcept>
#include <string>

namespace attncheck {

// The facts of a rank whose subject said at a call that the case is not its own, and of one whose
// call was never made, since the case could not be said by the keywords that the subject takes.
inline constexpr const char* kRefusedFact = "refused";
inline constexpr const char* kNotAskedFact = "not_asked";

// Thrown by a subject for a case that it does not do, on every rank and before anything is sent.
class RefusedCall : public std::runtime_error {
 public:
  explicit RefusedCall(const std::string& why, bool asked = true)
      : std::runtime_error(why), asked_(asked) {}
  bool asked() const { return asked_; }  // false: the subject itself was not called

 private:
  bool asked_;
};

}  // namespace attncheck

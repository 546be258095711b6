#pragma once

#include <string>

namespace attncheck {

// Whether a subject does what a case asks: yes, or no with a reason that a user can act on.
struct Support {
  bool ok = true;
  std::string reason;

  static Support yes() { return {}; }
  static Support no(std::string reason) { return {false, std::move(reason)}; }
  explicit operator bool() const { return ok; }
};

}  // namespace attncheck

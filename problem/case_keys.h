#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// One key of a case's text.
struct CaseKey {
  std::string name;
  bool required;
  // Sets the field; throws std::invalid_argument that says what is expected.
  std::function<void(Case&, const std::string& value)> set;
  // The value's text.
  std::function<std::string(const Case&)> get;
};

// In the order in which they are printed. The keys whose default is another key's value (kv, hkv,
// dv) stand after that key.
const std::vector<CaseKey>& case_keys();

}  // namespace attncheck

#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// A failure that is known, one line of a file:
//
//   property | key=value words that the case must have | reason
//
// A key that a case leaves out has its default: `causal=0` is a word of most cases.
struct Expectation {
  std::string property, words, reason;
  std::map<std::string, std::string> values;  // of the words, by key, as a case prints them
  std::optional<Case> case_;                  // where the words are a whole case: it is tried first
  int line = 0;                               // in the file, 1-based

  bool matches(const std::string& property, const Case& c) const;
};

// what() is one line that names the line of the file, what came and what is expected.
class ExpectationError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Reads the lines of a file; empty lines and those that begin with # are left out. Throws
// ExpectationError for a line without a property and a reason, a property that is not among
// `properties`, and words that a case cannot have.
std::vector<Expectation> parse_expectations(const std::string& text,
                                            const std::vector<std::string>& properties);

}  // namespace attncheck

#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// A case is one line of `key=value` words, in any order, every key once; defaults are left out when
// printed (docs/cases.md lists the keys):
//
//   impl=ring mesh=3x1 q=3 d=1 seed=17
//
// parse_case(to_text(c)) == c. `impl`, `mesh`, `q` and `d` must be given.
std::string to_text(const Case& c);

// Thrown for text that is no case: what() names the column (1-based), what came and what is
// expected.
class CaseTextError : public std::invalid_argument {
 public:
  CaseTextError(size_t column, const std::string& message);
  size_t column() const { return column_; }

 private:
  size_t column_;
};

Case parse_case(const std::string& text);

// The words of the enumerations, as they stand in a case.
const char* to_text(DType);
const char* to_text(Align);
const char* to_text(Mask);
const char* to_text(Layout);
const char* to_text(Data);
const char* to_text(View);
const char* to_text(Rotate);
const char* to_text(MeshOrder);
std::string to_text(const GradSet&);  // "qkv", "qv", ..., "none"

// Reads a word of DType ("f64"). Throws std::invalid_argument that lists the words.
DType parse_dtype(const std::string& word);

// The name among `names` that is nearest to `word` by edits, or "" when none is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& names);

}  // namespace attncheck

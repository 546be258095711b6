#include "problem/suggestion.h"

#include "problem/case_text.h"

namespace attncheck {

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest_name(word, names);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace attncheck

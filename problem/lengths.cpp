#include "problem/lengths.h"

namespace attncheck {

std::string lengths_text(const std::vector<int64_t>& lengths) {
  std::string text;
  for (const int64_t length : lengths) text += (text.empty() ? "" : ",") + std::to_string(length);
  return text;
}

}  // namespace attncheck

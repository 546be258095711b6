#include "problem/case.h"

namespace attncheck {

std::string subject_kind(const Case& c) {
  const size_t colon = c.impl.find(':');
  return colon == std::string::npos ? "" : c.impl.substr(0, colon);
}

std::string subject_name(const Case& c) {
  const size_t colon = c.impl.find(':');
  return colon == std::string::npos ? c.impl : c.impl.substr(colon + 1);
}

}  // namespace attncheck

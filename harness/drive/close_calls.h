#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "problem/case.h"

namespace attncheck {

// How near a property came to its bound on a case that held.
struct CloseCall {
  std::string property;
  double share = 0;  // error / bound
  Case case_;
};

// The closest calls by property and dtype: a few of each, no two of one subject, backend and mesh,
// so that what is drawn near them does not crowd about one case.
class CloseCalls {
 public:
  static constexpr size_t kKept = 4;

  // What json() printed; "" is no call. Throws std::invalid_argument, which says what is wrong, for
  // other text.
  static CloseCalls parse(const std::string& json);
  std::string json() const;

  // A call that used nothing of its bound is none.
  void add(CloseCall call);
  // By property and dtype, the closest of each first.
  std::vector<CloseCall> all() const;

 private:
  std::map<std::pair<std::string, DType>, std::vector<CloseCall>> calls_;
};

}  // namespace attncheck

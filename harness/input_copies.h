#pragma once

#include <string>

#include "properties/inputs.h"
#include "properties/rank_result.h"
#include "properties/request.h"

namespace attncheck {

// Copies of a rank's inputs for a request that keeps them: as they were given, and as they are
// after each step of the run. Does nothing for other requests. All arguments outlive it.
class InputCopies {
 public:
  // Stores "q_given", ... in the result.
  InputCopies(const Request& request, const InputTensors& inputs, RankResult& result);
  // Stores "q_WHEN", ...
  void take(const std::string& when);

 private:
  const bool wanted_;
  const InputTensors& inputs_;
  RankResult& result_;
};

}  // namespace attncheck

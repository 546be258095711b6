#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "impl/contract/support.h"
#include "problem/case.h"
#include "properties/observation.h"
#include "properties/request.h"

namespace attncheck {

// Why no rank of the run has a result: each call refused it, or was never made. Nothing where one
// has, or erred in another way; and where the request wants to see how a call refuses.
std::optional<std::string> refused_run(const Request& request, const Observation& observation);

// Whether cases are supported by subjects that say it at a call alone: each case's forward pass is
// made once, for nothing but the answer. Threads may share it.
class AskedCalls {
 public:
  using Run = std::function<Observation(const Request&)>;

  // A pass that ends in another way than by a refusal counts as supported, and is judged later.
  Support answer(const Case& c, const Run& run);

 private:
  std::mutex mutex_;
  std::map<std::string, Support> answers_;  // by the case
  int unanswered_ = 0;                      // passes that ended in an error
};

}  // namespace attncheck

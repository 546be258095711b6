#pragma once

#include <functional>

#include "harness/drive/case_task.h"
#include "harness/drive/check_stream.h"

namespace attncheck {

// Enters verdicts into the report of a stream, one after another, in the order of the cases.
class StreamLedger {
 public:
  // Shrinks a failure of the property at the position.
  using Shrink =
      std::function<Shrunk(size_t property, const Case&, const Verdict&, const ShrinkWish&)>;

  StreamLedger(StreamReport& report, const CheckOptions& options, Shrink shrink)
      : report_(report), options_(options), shrink_(std::move(shrink)) {}

  void enter(const Case& c, const Judged& judged);

 private:
  const Expectation* expectation_of(const std::string& property, const Case& c) const;
  void count_expectations(const std::string& property, const Case& c, bool failed);
  void enter_pass(PropertyResult& result, const Case& c, const Verdict& verdict);
  void enter_other(PropertyResult& result, const Case& c, const Judged& judged);
  void enter_known(PropertyResult& result, const Expectation& known, const Case& c,
                   const Judged& judged);
  void enter_failure(PropertyResult& result, const Case& c, const Judged& judged);

  StreamReport& report_;
  const CheckOptions& options_;
  Shrink shrink_;
};

}  // namespace attncheck

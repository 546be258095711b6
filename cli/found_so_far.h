#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "harness/drive/check_report.h"
#include "harness/drive/corpus.h"

namespace attncheck::cli {

// The failures that a check has found, for a run that is interrupted before its report: they are
// then printed and remembered, one that is being shrunk by its smallest case so far. One at a time
// lives.
class FoundSoFar {
 public:
  explicit FoundSoFar(std::function<void(const RememberedCase&)> remember);
  ~FoundSoFar();
  FoundSoFar(const FoundSoFar&) = delete;
  FoundSoFar& operator=(const FoundSoFar&) = delete;

  // Replaces what it knew of that property in that stream.
  void enter(const StreamSpec& stream, const PropertyResult& failure);

 private:
  struct Found {
    std::string stream;
    PropertyResult failure;
  };

  std::string last_words();

  std::function<void(const RememberedCase&)> remember_;
  std::mutex mutex_;
  std::vector<Found> all_;
};

}  // namespace attncheck::cli

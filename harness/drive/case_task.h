#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "harness/drive/judge.h"
#include "harness/drive/lanes.h"

namespace attncheck {

// One case, and the properties that shall judge it: positions in a list of properties.
struct CaseTask {
  Case case_;
  std::vector<size_t> judges;
  std::optional<bool> supported = {};  // as its subject said when it was drawn
};

struct Judged {
  size_t property = 0;  // its position
  Verdict verdict;
  bool unrepeatable = false;  // a rank died or hung once and not again
  bool threw = false;         // the property, or supports()
};

struct CaseOutcome {
  std::vector<Judged> judged;  // in the order of the task's judges
  int64_t runs = 0;            // that it took
  bool lost_a_rank = false;    // again and again
  RunFigures figures;
};

// The task in a lane, under way or done. What it gives depends on the task alone.
class CaseInLane {
 public:
  // The properties must outlive it.
  CaseInLane(CaseTask task, const PropertyList& properties, Lanes& lanes);
  // Cancels and waits, where nobody asked for the outcome.
  ~CaseInLane();
  CaseInLane(CaseInLane&&) = default;
  CaseInLane& operator=(CaseInLane&&) = default;

  const CaseTask& task() const { return task_; }
  // Not worth judging any longer: a property that it has not come to yet is left out.
  void cancel() { *cancelled_ = true; }
  // Waits. An exception of a property or of the lab comes out here.
  CaseOutcome outcome();

 private:
  CaseTask task_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
  std::shared_ptr<CaseOutcome> outcome_;
  std::future<void> done_;
};

}  // namespace attncheck

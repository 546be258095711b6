#include "harness/drive/case_task.h"

#include <utility>

namespace attncheck {
namespace {

CaseOutcome judge_in(LaneLab& lane, const CaseTask& task, const PropertyList& properties,
                     const std::atomic<bool>& cancelled) {
  CaseOutcome outcome;
  const int64_t before = lane.runs();
  lane.forget();
  WatchedLab watched(*lane.lab, task.case_, task.supported);
  for (const size_t property : task.judges) {
    if (cancelled) break;
    Judgement judgement = judge_watched(*properties[property], task.case_, watched);
    outcome.judged.push_back(
        {property, std::move(judgement.verdict), judgement.unrepeatable, judgement.threw});
  }
  lane.forget();
  outcome.lost_a_rank = watched.lost_a_rank();
  outcome.figures = watched.figures();
  outcome.runs = lane.runs() - before;
  return outcome;
}

}  // namespace

CaseInLane::CaseInLane(CaseTask task, const PropertyList& properties, Lanes& lanes)
    : task_(std::move(task)),
      cancelled_(std::make_shared<std::atomic<bool>>(false)),
      outcome_(std::make_shared<CaseOutcome>()) {
  done_ =
      lanes.post([task = task_, &properties, cancelled = cancelled_, outcome = outcome_](
                     LaneLab& lane) { *outcome = judge_in(lane, task, properties, *cancelled); });
}

CaseInLane::~CaseInLane() {
  if (!done_.valid()) return;
  cancel();
  done_.wait();
}

CaseOutcome CaseInLane::outcome() {
  done_.get();
  return std::move(*outcome_);
}

}  // namespace attncheck

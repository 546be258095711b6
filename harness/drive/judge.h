#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem/case.h"
#include "properties/lab.h"
#include "properties/property.h"

namespace attncheck {

// The properties that speak of that kind of subject, in the order given.
using PropertyList = std::vector<const Property*>;
PropertyList speaking_of(SubjectKind kind, const PropertyList& properties);

// One property on one case. not_run with what it said where the property, or supports(), throws:
// what cannot judge is no judge. NoRanks passes through. `unsupported` where the property does not
// apply, where the subject refuses the case, or where the property is about refusals and the
// subject does not refuse it.
Verdict judge(const Property& property, const Case& c, Lab& lab);

struct RunFigures {
  std::optional<int64_t> received_bytes, peak_bytes;
};

// A lab for all properties of one case. It says whether a run ended in a way that did not repeat,
// and once the case's base run lost a rank, that is what every further run gives: ranks are not
// taken down, or waited for, once for each property. Passes everything else on.
// The answer of supports() to the case may not change, from when it was drawn on.
class WatchedLab : public Lab {
 public:
  // `supported`: what was answered when the case was drawn, where it was.
  WatchedLab(Lab& lab, const Case& c, std::optional<bool> supported = {})
      : lab_(lab), case_(c), supported_(supported) {}

  const Observation& observe(const Request& request) override;
  const Expected& expected(const Request& request) override { return lab_.expected(request); }
  // Throws SupportsFailed where the answer changed.
  Support supports(const Case& c) override;
  SubjectKind kind(const Case& c) override { return lab_.kind(c); }
  const BackendContract* contract(const Case& c) override { return lab_.contract(c); }
  const Collective* collective(const Case& c) override { return lab_.collective(c); }
  Method method(const Case& c) override { return lab_.method(c); }

  bool hurry(bool on) override { return lab_.hurry(on); }
  // Not once the base run lost a rank: it is not made again.
  void make_room() override {
    if (fatal_ == nullptr) lab_.make_room();
  }

  // not_run with what happened, when a run ended in a way that did not repeat since it was last
  // asked.
  std::optional<Verdict> take_incident() { return std::exchange(incident_, std::nullopt); }
  // What ranks answered where the coordinator had another answer, since it was last asked.
  std::optional<Verdict> take_disagreement() { return std::exchange(disagreement_, std::nullopt); }
  // Whether any run lost a rank again and again.
  bool lost_a_rank() const { return lost_a_rank_; }
  // What all ranks received in the case's base run, and the most that one held in any run of the
  // case's subject, where they were measured.
  const RunFigures& figures() const { return figures_; }

 private:
  void compare_answers(const Request& request, const Observation& observation);

  Lab& lab_;
  const Case& case_;
  std::optional<bool> supported_;
  const Observation* fatal_ = nullptr;
  std::optional<Verdict> incident_, disagreement_;
  bool lost_a_rank_ = false;
  RunFigures figures_;
};

struct Judgement {
  const Property* property;
  Verdict verdict;
  bool unrepeatable;  // one of its runs ended in a way that did not repeat
  bool threw;         // it, or supports(), which leaves it with nothing to say
};

// As judge. A run that cannot be repeated says nothing: the verdict is then not_run with what
// happened, whatever the property made of it, unless it failed.
Judgement judge_watched(const Property& property, const Case& c, WatchedLab& lab);
std::vector<Judgement> judge_all(const PropertyList& properties, const Case& c, WatchedLab& lab);

}  // namespace attncheck

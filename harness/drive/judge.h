#pragma once

#include <string>
#include <vector>

#include "problem/case.h"
#include "properties/lab.h"
#include "properties/property.h"

namespace attncheck {

// The properties that speak of that kind of subject, in the order given.
using PropertyList = std::vector<const Property*>;
PropertyList speaking_of(SubjectKind kind, const PropertyList& properties);

// One property on one case. `unsupported` where the property does not apply, where the subject
// refuses the case, or where the property is about refusals and the subject does not refuse it.
Verdict judge(const Property& property, const Case& c, Lab& lab);

struct Judgement {
  const Property* property;
  Verdict verdict;
};
std::vector<Judgement> judge_all(const PropertyList& properties, const Case& c, Lab& lab);

// A lab that says whether a run ended in a way that did not repeat. Passes everything on.
class WatchedLab : public Lab {
 public:
  explicit WatchedLab(Lab& lab) : lab_(lab) {}

  const Observation& observe(const Request& request) override;
  const Expected& expected(const Request& request) override { return lab_.expected(request); }
  Support supports(const Case& c) override { return lab_.supports(c); }
  SubjectKind kind(const Case& c) override { return lab_.kind(c); }
  const BackendContract* contract(const Case& c) override { return lab_.contract(c); }
  const Collective* collective(const Case& c) override { return lab_.collective(c); }

  bool saw_unrepeatable() const { return saw_unrepeatable_; }

 private:
  Lab& lab_;
  bool saw_unrepeatable_ = false;
};

}  // namespace attncheck

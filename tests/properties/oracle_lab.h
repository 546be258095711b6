#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impl/contract/backend.h"
#include "impl/contract/collective.h"
#include "properties/lab.h"
#include "properties/verdict.h"

namespace attncheck {

// A lab whose subjects are right: every observation is the reference's answer (or the collective's
// specification), cut into shards and rounded to the case's dtype. A test plants faults in it.
class OracleLab : public Lab {
 public:
  using Plant = std::function<void(const Request&, Observation&)>;

  // Changes what later runs give.
  void plant(Plant plant) { plants_.push_back(std::move(plant)); }
  // Adds to the first element of a rank's tensor, in the runs that have it.
  void add(int rank, const std::string& tensor, double delta);
  // In one run out of all: those for which `when` holds.
  void add_when(std::function<bool(const Request&)> when, int rank, const std::string& tensor,
                double delta);
  // The rank ends with an error, without tensors from that phase on.
  void fail(int rank, Phase phase, const std::string& text);

  const Observation& observe(const Request& request) override;
  const Expected& expected(const Request& request) override;
  Support supports(const Case& c) override { return supports_case(c); }
  SubjectKind kind(const Case& c) override {
    if (c.impl == "local") return SubjectKind::local;
    if (subject_kind(c) == "merge") return SubjectKind::merge;
    if (subject_kind(c) == "model") return SubjectKind::model;
    return collective_subject ? SubjectKind::collective : SubjectKind::implementation;
  }
  const BackendContract* contract(const Case&) override { return &backend_contract; }
  const Collective* collective(const Case&) override {
    return collective_subject ? &*collective_subject : nullptr;
  }

  Method method(const Case&) override { return declared_method; }

  size_t runs() const { return observations_.size(); }

  std::function<Support(const Case&)> supports_case = [](const Case&) { return Support::yes(); };
  BackendContract backend_contract;
  Method declared_method = Method::other;
  std::optional<Collective> collective_subject;

 private:
  Observation attention_run(const Request& request);

  std::vector<Plant> plants_;
  std::map<std::string, std::unique_ptr<Observation>> observations_;
  std::map<std::string, std::unique_ptr<Expected>> expectations_;
};

// The tensor of a rank, to be changed in place.
at::Tensor& tensor_of(Observation& observation, int rank, const std::string& name);

// What the property of that name says of the case; throws std::out_of_range for an unknown name.
Verdict judge(const std::string& property, const std::string& case_text, Lab& lab);
Support applies(const std::string& property, const std::string& case_text);

}  // namespace attncheck

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/drive/judge.h"
#include "harness/registry.h"
#include "harness/run_lab.h"

namespace attncheck::testing {

// ring, unified and allgather_kv on simulated ranks, on the built-in backends and these.
class RealRuns {
 public:
  explicit RealRuns(std::vector<Backend> more = {});

  Lab& lab() { return lab_; }
  // What the property of that name says of the case.
  Verdict judge(const std::string& property, const std::string& case_text);

 private:
  Registry registry_;
  RunLab lab_;
};

// What a lab gives, with some runs changed; the tensors of a run are copies, in float64.
class ChangedRuns : public WatchedLab {
 public:
  using Change = std::function<void(const Request&, Observation&)>;

  ChangedRuns(Lab& lab, const Case& c, Change change)
      : WatchedLab(lab, c), change_(std::move(change)) {}
  const Observation& observe(const Request& request) override;

 private:
  Change change_;
  std::vector<std::unique_ptr<Observation>> changed_;
};

// Verdict of a property on the runs of a case after `change`.
Verdict judge_changed(const std::string& property, const Case& c, Lab& lab,
                      ChangedRuns::Change change);

const Property& property_named(const std::string& name);

// What a plain run of the case gave and should have given: the whole tensor, in float64.
struct Compared {
  at::Tensor got, want, bound;  // (B, S, H, D)

  at::Tensor error() const;  // |got - want|
};
Compared compared(const Case& c, const std::string& tensor, Lab& lab);

}  // namespace attncheck::testing

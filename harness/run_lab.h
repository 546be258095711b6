#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "harness/callables/asked_calls.h"
#include "harness/registry.h"
#include "harness/run_memory.h"
#include "harness/transport.h"
#include "properties/lab.h"

namespace attncheck {

// Counts of what a lab did, for reports and budgets.
struct LabCounts {
  int64_t runs = 0;     // requests that ran on ranks
  int64_t recalls = 0;  // requests answered from memory
};

// Ranks that do not start, whatever is tried: nothing can be run.
class NoRanks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The lab that runs requests on transports. One thread uses it.
class RunLab : public Lab {
 public:
  // Both outlive the lab. `transports` are found by the case's `transport=`.
  RunLab(const Registry& registry, std::map<std::string, std::shared_ptr<Transport>> transports);

  // Throws NoRanks.
  const Observation& observe(const Request& request) override;
  const Expected& expected(const Request& request) override;
  Support supports(const Case& c) override;
  SubjectKind kind(const Case& c) override { return registry_.kind(c.impl); }
  const BackendContract* contract(const Case& c) override;
  const Collective* collective(const Case& c) override;
  Method method(const Case& c) override;
  bool hurry(bool on) override;
  void make_room() override { memory_.shrink_to(kMostRemembered); }

  // Whether the case's transport is in this lab and takes its mesh.
  Support carries(const Case& c) const;

  // Is told at once of a rank that died, fell silent or erred where it may not happen again.
  using Listener = std::function<void(const Case&, const std::string& incident)>;
  void tell(Listener listener) { listener_ = std::move(listener); }

  void forget() { memory_.clear(); }  // between cases
  const LabCounts& counts() const { return counts_; }

 private:
  // Bytes, for all properties of a case of a few thousand tokens but the longest runs.
  static constexpr int64_t kMostRemembered = int64_t{256} << 20;

  struct Attempt;

  Observation only_run(const Request& request);
  std::vector<RankReply> replies_of(Transport& transport, const Request& request);
  Observation run(const Request& request);
  Attempt attempt(Transport& transport, const Request& request);
  Attempt started_attempt(Transport& transport, const Request& request);
  bool may_differ(const Transport& transport, const Attempt& attempt) const;

  const Registry& registry_;
  std::mutex running_;  // what a call refuses is asked while cases are drawn
  AskedCalls asked_;
  std::set<std::string> confirmed_;  // kinds of errors that came again on fresh ranks
  std::map<std::string, std::shared_ptr<Transport>> transports_;
  RunMemory memory_;
  LabCounts counts_;
  Listener listener_ = [](const Case&, const std::string&) {};
  bool ever_started_ = false;              // ranks
  int gave_up_ = 0;                        // requests whose ranks did not start
  bool hasty_ = false, believed_ = false;  // a run that ended early was believed in haste
};

}  // namespace attncheck

#pragma once

#include <string>
#include <vector>

#include "gloo_cpu/shared_word.h"
#include "harness/process_transport.h"
#include "harness/sim_transport.h"

namespace attncheck {

// The transport `sim` with the whole mesh in a child process: code that ends, hangs or fills its
// process takes that one down, and is a reply. The child runs the same SimTransport, so the
// results, traces and bytes are the same. One child for all runs, made anew when it was lost.
class IsolatedTransport : public Transport {
 public:
  // The rank command must reach serve_rank_process(). The timeout is that of a whole mesh, whose
  // ranks take turns.
  explicit IsolatedTransport(ProcessOptions process, SimOptions options = {});

  std::string name() const override { return "sim"; }
  Support supports(const Mesh& mesh) const override { return rules_.supports(mesh); }
  Support follows(const std::string& schedule) const override { return rules_.follows(schedule); }
  // A child that is lost is the rank that was at its turn then; the others are bystanders.
  std::vector<RankReply> run(const Launch& launch) override;
  bool renew(const Mesh& mesh) override;
  void hurry(bool on) override { process_.hurry(on); }

 private:
  std::vector<RankReply> lost(const Launch& launch, RankReply process);

  SimTransport rules_;         // runs nothing
  gloo_cpu::SharedWord turn_;  // one more than the launched rank that is at its turn; 0: none
  ProcessTransport process_;
  SimOptions options_;
  bool renew_ = false;
};

}  // namespace attncheck

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "harness/transport.h"

namespace attncheck::gloo_cpu {
class RankSet;
}

namespace attncheck {

struct GlooOptions {
  std::vector<std::string> rank_command;      // a program that ends in serve_gloo_rank()
  std::chrono::milliseconds timeout{30'000};  // of one request; of a collective, half of it
  // Where each rank's stdout and stderr go, as <log_prefix>rank<N>.log. Empty: kept in memory, and
  // shown with what became of a rank that ended. Lanes need prefixes of their own.
  std::string log_dir;
  std::string log_prefix;
};

// What ranks that are known to hang get while a failure is shrunk, if that is less than `timeout`.
inline constexpr std::chrono::milliseconds kHastyTimeout{2'000};

// Ranks as processes over Gloo (gloo_cpu/). One set per number of ranks, kept for all runs and made
// anew after a rank died or fell silent. One thread uses it; several may live side by side.
class GlooTransport : public Transport {
 public:
  explicit GlooTransport(GlooOptions options);
  ~GlooTransport() override;

  std::string name() const override { return "gloo"; }
  Support supports(const Mesh& mesh) const override;
  std::vector<RankReply> run(const Launch& launch) override;
  bool repeats_itself() const override { return false; }
  void hurry(bool on) override;

 private:
  gloo_cpu::RankSet& set_of(int size);
  std::chrono::milliseconds timeout() const;

  GlooOptions options_;
  bool hasty_ = false;
  bool slow_ = false;  // a run took longer than a hasty one may
  std::map<int, std::unique_ptr<gloo_cpu::RankSet>> sets_;
};

// What a rank process runs: answers requests until its parent hangs up. Returns the exit status.
int serve_gloo_rank(const Registry& registry);
// Whether this process was started as a rank.
bool is_gloo_rank();

}  // namespace attncheck

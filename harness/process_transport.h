#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry.h"
#include "harness/transport.h"

namespace attncheck::gloo_cpu {
class GroupFactory;
class GroupMaker;
class LaunchedWorld;
class Ranks;
struct RankPlace;
struct RankSetOptions;
}  // namespace attncheck::gloo_cpu

namespace attncheck {

struct ProcessOptions {
  std::vector<std::string> rank_command;      // a program that ends in serve_rank_process()
  std::chrono::milliseconds timeout{30'000};  // of one request; of a collective, half of it
  // Until all ranks are ready, where they take longer to start than the program itself would.
  std::optional<std::chrono::milliseconds> start_timeout = {};
  int most_renewals = 0;  // as gloo_cpu::RankSetOptions has it
  // Where each rank's stdout and stderr go, as <log_prefix>rank<N>.log. Empty: kept in memory, and
  // shown with what became of a rank that ended. Lanes need prefixes of their own.
  std::string log_dir;
  std::string log_prefix;
  std::string transport = "gloo";  // or "nccl"; "sim" for a mesh in one process
  std::string device = "cpu";      // where tensors are: or "cuda"
  int64_t memory = 0;              // bytes that the ranks of a mesh may hold together; 0: any
  int shared_word = -1;            // as gloo_cpu::RankSetOptions has it
  // Of a request to ranks that are known to hang, while a failure is shrunk, if that is less.
  std::chrono::milliseconds hasty_timeout{2'000};
  // The ranks are at a launcher's processes instead of under this one.
  std::shared_ptr<gloo_cpu::LaunchedWorld> launched;
};

// How the options say it to whoever starts rank processes.
gloo_cpu::RankSetOptions rank_set_options(const ProcessOptions& options);

// Ranks as processes over Gloo or NCCL (gloo_cpu/, nccl_gpu/), on this machine or at a launcher's
// processes. One set per number of ranks, kept for all runs and made anew after a rank died or fell
// silent. One thread uses it; several may live side by side, but not in a launched world.
class ProcessTransport : public Transport {
 public:
  explicit ProcessTransport(ProcessOptions options);
  ~ProcessTransport() override;

  std::string name() const override { return options_.transport; }
  Support supports(const Mesh& mesh) const override;
  std::string device() const override { return options_.device; }
  std::vector<RankReply> run(const Launch& launch) override;
  bool repeats_itself() const override { return false; }
  void allow(std::chrono::milliseconds limit) override;
  void hurry(bool on) override;
  bool outlives_errors() const override { return options_.most_renewals > 0; }
  bool restart() override;

 private:
  gloo_cpu::Ranks& set_of(int size);
  std::unique_ptr<gloo_cpu::Ranks> fresh_set(int size) const;
  std::chrono::milliseconds timeout() const;

  ProcessOptions options_;
  bool hasty_ = false;
  bool slow_ = false;  // a run took longer than a hasty one may
  std::map<int, std::unique_ptr<gloo_cpu::Ranks>> sets_;
};

// What a rank answers beside the requests of cases: those whose text begins with the word.
struct RankTask {
  std::string word;
  std::function<std::string(const std::string& request, gloo_cpu::GroupFactory&)> answer;
};

// As gloo_cpu/serve_rank.h has it: what makes groups at a rank's place.
using MakeGroups =
    std::function<std::unique_ptr<gloo_cpu::GroupMaker>(const gloo_cpu::RankPlace& place)>;

// What a rank process runs: answers requests until its parent hangs up. Returns the exit status.
// Groups are Gloo's or NCCL's, unless somebody else makes them.
int serve_rank_process(const Registry& registry, const std::vector<RankTask>& others = {},
                       const MakeGroups& make_groups = {});
// Whether this process was started as a rank.
bool is_rank_process();

}  // namespace attncheck

#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "harness/transport.h"
#include "sim/world.h"

namespace attncheck {

// What the ranks' work runs in, where ranks need more than their thread: a language that keeps
// state by thread, has a lock, or makes its own groups.
struct RankFrame {
  using Work = std::function<void(sim::RankContext&)>;

  // Calls `work` once, on the rank's thread, with the context or one that stands for it. Empty:
  // `work` is called as it is.
  std::function<void(sim::RankContext&, const Work& work)> run = {};
  sim::AroundWait around_wait = {};
};

// As sim::RunOptions says.
struct SimOptions {
  int64_t send_buffer = 0;  // bytes
  std::atomic<int>* turn = nullptr;
  RankFrame frame = {};
};

// Ranks as threads of this process (sim/). One world per number of ranks, kept for all runs. A
// deadlock or a throwing rank is an error in that rank's answer; a crash is the crash of this
// process.
class SimTransport : public Transport {
 public:
  explicit SimTransport(RankAnswer answer, SimOptions options = {});
  ~SimTransport() override;

  std::string name() const override { return "sim"; }
  Support supports(const Mesh& mesh) const override;
  Support follows(const std::string& schedule) const override;
  std::vector<RankReply> run(const Launch& launch) override;
  bool renew(const Mesh& mesh) override;

 private:
  sim::World& world_of(int size);

  RankAnswer answer_;
  SimOptions options_;
  std::map<int, std::unique_ptr<sim::World>> worlds_;
};

}  // namespace attncheck

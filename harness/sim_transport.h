#pragma once

#include <map>
#include <memory>

#include "harness/transport.h"

namespace attncheck::sim {
class World;
}

namespace attncheck {

// Ranks as threads of this process (sim/). One world per number of ranks, kept for all runs. A
// deadlock or a throwing rank is an error in that rank's answer; a crash is the crash of this
// process.
class SimTransport : public Transport {
 public:
  explicit SimTransport(RankAnswer answer);
  ~SimTransport() override;

  std::string name() const override { return "sim"; }
  Support supports(const Mesh& mesh) const override;
  std::vector<RankReply> run(const Mesh& mesh, const std::string& request) override;
  bool renew(const Mesh& mesh) override;

 private:
  sim::World& world_of(int size);

  RankAnswer answer_;
  std::map<int, std::unique_ptr<sim::World>> worlds_;
};

}  // namespace attncheck

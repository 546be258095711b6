#include "harness/isolated_mesh.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <c10/util/Exception.h>

#include "gloo_cpu/rank_place.h"
#include "gloo_cpu/serve_rank.h"
#include "gloo_cpu/shared_word.h"
#include "harness/evaluate_rank.h"
#include "harness/mesh_bytes.h"
#include "harness/own_threads.h"
#include "harness/sim_transport.h"
#include "sim/affinity.h"

namespace attncheck {
namespace {

// Simulated ranks make their groups among themselves.
class NoGroups : public gloo_cpu::GroupMaker {
 public:
  c10::Device device() const override { return at::kCPU; }
  void equip(c10d::ProcessGroup&, const gloo_cpu::GroupParts&) override {
    TORCH_CHECK(false, "the process of a simulated mesh has no groups of its own");
  }
};

// In what all ranks gave: they share the process.
void note_threads_left(int threads, std::vector<RankReply>& replies) {
  if (threads == 0) return;
  for (RankReply& reply : replies) {
    if (reply.outcome != RankReply::Outcome::answered) continue;
    RankResult result = rank_result_from_bytes(reply.bytes);
    attncheck::note_threads_left(threads, result);
    reply.bytes = to_bytes(result);
  }
}

class IsolatedMesh {
 public:
  IsolatedMesh(const Registry& registry, RankFrame frame)
      : registry_(registry), frame_(std::move(frame)) {}

  void show_turns(int descriptor) { turn_.emplace(descriptor); }

  std::string answer(const std::string& bytes) {
    const MeshRun run = mesh_run_from_bytes(bytes);
    prepare(run);
    if (run.renew) sim_->renew(run.launch.mesh);
    threads_.reset();
    std::vector<RankReply> replies = sim_->run(run.launch);
    if (threads_) note_threads_left(threads_->left(), replies);
    return to_bytes(replies);
  }

 private:
  void prepare(const MeshRun& run) {
    if (sim_) return;
    pin_.emplace(run.core);
    const RankAnswer answer = [this](const std::string& request, const MeshGroups& groups) {
      if (!threads_) threads_.emplace();  // the ranks' own are there by now
      return answer_request(registry_, request, groups);
    };
    sim_.emplace(answer, SimOptions{run.send_buffer, turn_ ? &turn_->value() : nullptr, frame_});
  }

  const Registry& registry_;
  RankFrame frame_;
  std::optional<gloo_cpu::SharedWord> turn_;
  std::optional<sim::CorePin> pin_;
  std::optional<OwnThreads> threads_;
  std::optional<SimTransport> sim_;
};

}  // namespace

int serve_isolated_mesh(const Registry& registry, RankFrame frame) {
  IsolatedMesh mesh(registry, std::move(frame));
  const auto answer = [&](const std::string& run, gloo_cpu::GroupFactory&) {
    return mesh.answer(run);
  };
  return gloo_cpu::serve_rank(answer, [&](const gloo_cpu::RankPlace& place) {
    if (place.shared_word >= 0) mesh.show_turns(place.shared_word);
    return std::make_unique<NoGroups>();
  });
}

bool is_isolated_mesh() {
  return gloo_cpu::is_rank_process() && gloo_cpu::rank_transport() == "sim";
}

}  // namespace attncheck

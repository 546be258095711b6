#include "harness/isolated_transport.h"

#include <algorithm>
#include <utility>

#include "harness/mesh_bytes.h"
#include "sim/affinity.h"

namespace attncheck {
namespace {

using Outcome = RankReply::Outcome;

// A small case takes a mesh that waits for no other process milliseconds.
constexpr std::chrono::milliseconds kHastyTimeout{500};

ProcessOptions of_one_mesh(ProcessOptions process, int turn) {
  process.transport = "sim";
  process.hasty_timeout = kHastyTimeout;
  process.device = "cpu";
  process.launched = nullptr;
  process.shared_word = turn;
  return process;
}

}  // namespace

IsolatedTransport::IsolatedTransport(ProcessOptions process, SimOptions options)
    : rules_({}),
      process_(of_one_mesh(std::move(process), turn_.descriptor())),
      options_(options) {}

bool IsolatedTransport::renew(const Mesh&) {
  renew_ = true;
  return true;
}

std::vector<RankReply> IsolatedTransport::run(const Launch& launch) {
  turn_.value() = 0;
  const MeshRun run{launch, std::exchange(renew_, false), options_.send_buffer,
                    sim::current_core()};
  const Launch of_process{Mesh{}, whole_world(Mesh{}), to_bytes(run), "", false};
  RankReply process = process_.run(of_process).front();
  if (process.outcome == Outcome::answered) return replies_from_bytes(process.bytes);
  return lost(launch, std::move(process));
}

std::vector<RankReply> IsolatedTransport::lost(const Launch& launch, RankReply process) {
  const int at_turn = launch.placement.mesh_rank(turn_.value() - 1);
  if (at_turn < 0 && process.started) {
    process.note =
        "and all others, in one process with none of them at its turn: it " + process.note;
  }
  const int named = std::max(at_turn, 0);
  RankReply other;
  other.outcome = Outcome::bystander;
  other.started = process.started;
  other.after = process.after;
  other.note = "was in one process with rank " + std::to_string(named);
  std::vector<RankReply> replies(launch.placement.members.size(), other);
  replies[named] = std::move(process);
  return replies;
}

}  // namespace attncheck

#include "harness/drive/ring_steps.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attncheck {
namespace {

int modulo(int a, int n) {
  return (a % n + n) % n;
}

// The one other rank of its ring that a rank received from; nothing where there are more or none.
std::optional<int> only_peer(const Case& c, const Observation& forward, int rank) {
  const std::optional<RankTrace>& trace = forward.ranks[rank].trace;
  if (!trace) return std::nullopt;
  std::set<int> peers;
  for (const Received& received : trace->received) {
    const int peer = c.mesh.ring_index(received.peer);
    if (peer != c.mesh.ring_index(rank)) peers.insert(peer);
  }
  return peers.size() == 1 ? std::optional(*peers.begin()) : std::nullopt;
}

// Nothing where messages are not those of a ring.
std::optional<bool> receives_from_before(const Case& c, const Observation& forward) {
  const int degree = c.mesh.ring;
  if (static_cast<int>(forward.ranks.size()) != c.mesh.world()) return std::nullopt;
  std::set<bool> sides;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const std::optional<int> peer = only_peer(c, forward, rank);
    if (!peer) return std::nullopt;
    const int before = modulo(c.mesh.ring_index(rank) - *peer, degree);
    if (before != 1 && before != degree - 1) return std::nullopt;
    sides.insert(before == 1);
  }
  return sides.size() == 1 ? std::optional(*sides.begin()) : std::nullopt;
}

std::optional<int> first_wrong(const RingSteps& steps, const ContributionMatrix& matrix) {
  std::optional<int> first;
  for (int rank = 0; rank < static_cast<int>(matrix.size()); ++rank) {
    for (int shard = 0; shard < static_cast<int>(matrix[rank].size()); ++shard) {
      if (!matrix[rank][shard].fault()) continue;
      const int step = steps.step(rank, shard);
      first = first ? std::min(*first, step) : step;
    }
  }
  return first;
}

}  // namespace

int RingSteps::step(int query_rank, int key_shard) const {
  const int apart = mesh.ring_index(query_rank) - mesh.ring_index(key_shard);
  return modulo(from_before ? apart : -apart, mesh.ring);
}

std::optional<RingSteps> ring_steps(const Case& c, const Observation& forward) {
  if (c.mesh.ring < 2) return std::nullopt;
  const std::optional<bool> from_before = receives_from_before(c, forward);
  return RingSteps{c.mesh, from_before.value_or(true), from_before.has_value()};
}

std::string first_wrong_steps(const RingSteps& steps, const Provenance& provenance) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::optional<ContributionMatrix>& matrix) {
    const std::optional<int> first = matrix ? first_wrong(steps, *matrix) : std::nullopt;
    if (first) words.push_back(fmt::format("{} {}", name, *first));
  };
  add("out", provenance.out);
  add("dQ", provenance.dq_parts);
  add("dK", provenance.dk);
  add("dV", provenance.dv);
  if (words.empty()) return "";
  const char* what = steps.seen
                         ? "the first wrong step of the ring"
                         : "keys are not seen to go round; wrong from so many ring ranks back";
  return fmt::format("{} (0 to {}): {}", what, steps.mesh.ring - 1, fmt::join(words, ", "));
}

}  // namespace attncheck

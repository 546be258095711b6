#include "reference/traffic.h"

#include <numeric>

namespace attncheck::reference {
namespace {

// One rank's view of the mesh: whom it hears from, and how many tokens they hold.
class View {
 public:
  View(const Case& c, const TrafficShape& shape, int rank)
      : case_(c), p_(c.problem), shape_(shape), rank_(rank) {}

  Traffic traffic() const {
    Traffic all;
    add(all.forward, ulysses_forward(), ulysses_forward());
    add(all.forward, ring_keys(), ring_keys());
    add(all.backward, ulysses_backward(), ulysses_backward() + unneeded_lse_cotangent());
    add(all.backward, ring_keys() + gradients_home(-1), ring_keys() + gradients_home(0));
    return all;
  }

  Traffic gathered() const {
    Traffic all;
    add(all.forward, ring_keys(), ring_keys());
    add(all.backward, sums_at_once(), ring_keys() + sums_at_once());
    return all;
  }

 private:
  static void add(ByteRange& range, int64_t least, int64_t most) {
    range.least += least;
    range.most += most;
  }

  int64_t peers() const { return case_.mesh.ulysses - 1; }
  int64_t q_heads() const { return head_share(p_, case_.mesh.ulysses).heads; }
  int64_t kv_heads() const { return head_share(p_, case_.mesh.ulysses).kv_heads; }
  int64_t key_width() const { return kv_heads() * (p_.head_dim + p_.v_head_dim); }
  int64_t joint() const { return p_.joint.tokens; }
  // Of what comes back: the rank's shard, and joint queries, which it has all heads of as well.
  int64_t own_q() const { return shape_.q_lens[rank_] + joint(); }
  int64_t own_kv() const { return shape_.kv_lens[rank_]; }

  int64_t of_peers(const std::vector<int64_t>& lengths) const {
    int64_t tokens = 0;
    for (int peer : case_.mesh.ulysses_members(rank_)) {
      if (peer != rank_) tokens += lengths[peer];
    }
    return tokens;
  }

  int64_t ulysses_forward() const {
    const int64_t inputs =
        of_peers(shape_.q_lens) * q_heads() * p_.head_dim + of_peers(shape_.kv_lens) * key_width();
    const int64_t out = peers() * own_q() * q_heads() * p_.v_head_dim;
    const int64_t lse = case_.return_lse ? peers() * own_q() * q_heads() : 0;
    return p_.batch * ((inputs + out) * shape_.io_bytes + lse * shape_.lse_bytes) + mask();
  }

  int64_t mask() const {
    if (p_.mask == Mask::none || p_.mask_axes == MaskAxes::bk || p_.mask_axes == MaskAxes::b11k) {
      return 0;
    }
    const int64_t heads = p_.mask_axes == MaskAxes::bhqk ? q_heads() : 1;
    return p_.batch * heads * of_peers(shape_.q_lens) * p_.kv_len * shape_.mask_bytes;
  }

  int64_t ulysses_backward() const {
    const int64_t dout = rows_of_peers() * q_heads() * p_.v_head_dim;
    const int64_t own = shape_.q_lens[rank_];
    const int64_t home = peers() * (own * q_heads() * p_.head_dim + own_kv() * key_width());
    const int64_t dlse = case_.lse_cotangent && case_.return_lse ? lse_cotangent() : 0;
    return p_.batch * (dout + home) * shape_.io_bytes + dlse;
  }

  int64_t unneeded_lse_cotangent() const {
    return case_.return_lse && !case_.lse_cotangent ? lse_cotangent() : 0;
  }

  int64_t lse_cotangent() const {
    return p_.batch * rows_of_peers() * q_heads() * shape_.lse_bytes;
  }

  // Rows of a cotangent: those of the others' shards, and every other rank's of the joint queries.
  int64_t rows_of_peers() const { return of_peers(shape_.q_lens) + peers() * joint(); }

  // The keys that the Ulysses group of a ring rank holds together.
  int64_t ring_tokens(int ring_index) const {
    const int member = case_.mesh.rank(ring_index, case_.mesh.ulysses_index(rank_));
    int64_t tokens = 0;
    for (int peer : case_.mesh.ulysses_members(member)) tokens += shape_.kv_lens[peer];
    return tokens;
  }

  int64_t other_ring_tokens() const {
    int64_t tokens = 0;
    for (int index = 0; index < case_.mesh.ring; ++index) {
      if (index != case_.mesh.ring_index(rank_)) tokens += ring_tokens(index);
    }
    return tokens;
  }

  int64_t ring_keys() const {
    return p_.batch * other_ring_tokens() * key_width() * shape_.io_bytes;
  }

  int64_t own_ring_tokens() const { return ring_tokens(case_.mesh.ring_index(rank_)); }

  int64_t sums_of(int64_t tokens) const {
    return p_.batch * tokens * key_width() * shape_.sum_bytes;
  }

  int64_t sums_at_once() const { return sums_of((case_.mesh.ring - 1) * own_ring_tokens()); }

  // `hops` -1: the last hop, which brings home the own shard's sum, is left out.
  int64_t gradients_home(int hops) const {
    if (case_.mesh.ring == 1) return 0;
    if (case_.rotate == Rotate::allgather) return sums_at_once();
    return sums_of(other_ring_tokens() + (hops < 0 ? 0 : own_ring_tokens()));
  }

  const Case& case_;
  const Problem& p_;
  const TrafficShape& shape_;
  int rank_;
};

}  // namespace

HeadShare head_share(const Problem& problem, int ulysses_degree) {
  int64_t heads = problem.heads / ulysses_degree;
  if (heads * ulysses_degree < problem.heads) ++heads;
  return {heads, heads / std::gcd(heads, problem.heads / problem.kv_heads)};
}

Traffic unified_traffic(const Case& c, const TrafficShape& shape, int rank) {
  return View(c, shape, rank).traffic();
}

Traffic gathered_traffic(const Case& c, const TrafficShape& shape, int rank) {
  return View(c, shape, rank).gathered();
}

}  // namespace attncheck::reference

#include "impl/collectives/catalogue.h"

#include <string>

#include "impl/collectives/differentiable.h"

namespace attncheck {
namespace {

using Shape = std::array<int64_t, 4>;

int64_t tokens_per_rank(const Case& c) {
  return c.problem.q_len / c.mesh.world();
}

Shape shard(const Case& c) {
  return {c.problem.batch, tokens_per_rank(c), c.problem.heads, c.problem.head_dim};
}

// A Ulysses group's tokens, a share of the heads.
Shape heads_share(const Case& c) {
  return {c.problem.batch, tokens_per_rank(c) * c.mesh.ulysses, c.problem.heads / c.mesh.ulysses,
          c.problem.head_dim};
}

Shape whole_sequence(const Case& c) {
  return {c.problem.batch, c.problem.q_len, c.problem.heads, c.problem.head_dim};
}

Support supports_shards(const Case& c) {
  const Problem& p = c.problem;
  if (c.mesh.order != MeshOrder::ru) return Support::no("order=ur is not supported: use order=ru");
  if (p.layout != Layout::contiguous) return Support::no("only layout=contiguous is supported");
  if (!p.shards.empty()) return Support::no("shards= is not supported: leave it out");
  if (p.q_len % c.mesh.world() == 0) return Support::yes();
  return Support::no("q=" + std::to_string(p.q_len) + " is not divisible by the " +
                     std::to_string(c.mesh.world()) + " ranks of the mesh");
}

Support supports_heads(const Case& c) {
  if (c.problem.heads % c.mesh.ulysses == 0) return supports_shards(c);
  return Support::no("h=" + std::to_string(c.problem.heads) +
                     " is not divisible by the Ulysses degree " + std::to_string(c.mesh.ulysses));
}

Collective seq_all_to_all_subject() {
  return {
      "seq_all_to_all",
      supports_heads,
      shard,
      heads_share,
      [](at::Tensor x, const MeshGroups& groups) {
        return seq_all_to_all(x, keep(groups.ulysses), 2, 1);
      },
      [](const Case& c, int rank, const Shape& at) -> Origin {
        const int64_t tokens = tokens_per_rank(c), heads = c.problem.heads / c.mesh.ulysses;
        const int source = c.mesh.rank(c.mesh.ring_index(rank), int(at[1] / tokens));
        return {source, {at[0], at[1] % tokens, c.mesh.ulysses_index(rank) * heads + at[2], at[3]}};
      }};
}

Collective head_all_to_all_subject() {
  return {
      "head_all_to_all",
      supports_heads,
      heads_share,
      shard,
      [](at::Tensor x, const MeshGroups& groups) {
        return seq_all_to_all(x, keep(groups.ulysses), 1, 2);
      },
      [](const Case& c, int rank, const Shape& at) -> Origin {
        const int64_t tokens = tokens_per_rank(c), heads = c.problem.heads / c.mesh.ulysses;
        const int source = c.mesh.rank(c.mesh.ring_index(rank), int(at[2] / heads));
        return {source, {at[0], c.mesh.ulysses_index(rank) * tokens + at[1], at[2] % heads, at[3]}};
      }};
}

Collective all_gather_subject() {
  return {"all_gather",
          supports_shards,
          shard,
          whole_sequence,
          [](at::Tensor x, const MeshGroups& groups) {
            return gather_sequence(x, keep(groups.world), 1);
          },
          [](const Case& c, int, const Shape& at) -> Origin {
            const int64_t tokens = tokens_per_rank(c);
            return {int(at[1] / tokens), {at[0], at[1] % tokens, at[2], at[3]}};
          }};
}

Collective ring_shift_subject() {
  return {
      "ring_shift",
      supports_shards,
      shard,
      shard,
      [](at::Tensor x, const MeshGroups& groups) { return ring_shift(x, keep(groups.ring), 1); },
      [](const Case& c, int rank, const Shape& at) -> Origin {
        const int before = (c.mesh.ring_index(rank) + c.mesh.ring - 1) % c.mesh.ring;
        return {c.mesh.rank(before, c.mesh.ulysses_index(rank)), at};
      }};
}

}  // namespace

std::vector<Collective> built_in_collectives() {
  return {seq_all_to_all_subject(), head_all_to_all_subject(), all_gather_subject(),
          ring_shift_subject()};
}

}  // namespace attncheck

#include "properties/checks/companions.h"

#include <algorithm>

namespace attncheck {
namespace {

// The same call on plain data of its own.
Case plain_companion(const Case& c) {
  Case companion = c;
  Problem& p = companion.problem;
  p.shards.clear();
  p.documents.clear();
  p.joint = Joint{};
  p.data = Data::normal;
  p.view = View::none;
  companion.grad = GradSet{};
  companion.lse_cotangent = false;
  companion.seed = c.seed + 1;
  return companion;
}

// Tokens by the double of the ranks, as zigzag shards need; heads by the Ulysses degree.
void set_lengths(Case& c, int64_t q_units, int64_t kv_units) {
  c.problem.q_len = 2 * c.mesh.world() * q_units;
  c.problem.kv_len = 2 * c.mesh.world() * kv_units;
}

void set_heads(Case& c, int64_t heads) {
  c.problem.heads = c.problem.kv_heads = c.mesh.ulysses * heads;
}

void set_head_dim(Case& c, int64_t head_dim) {
  c.problem.head_dim = c.problem.v_head_dim = head_dim;
}

int64_t units(const Case& c, int64_t length) {
  return length / (2 * c.mesh.world());
}

// Kernels may want a head_dim that is a multiple of 8.
std::optional<Case> with_more_head_dim(Case companion, const Case& c, Lab& lab) {
  for (int64_t more : {1, 8, 0}) {
    set_head_dim(companion, c.problem.head_dim + more);
    if (lab.supports(companion)) return companion;
  }
  return std::nullopt;
}

bool same_shape(const Problem& a, const Problem& b) {
  return a.batch == b.batch && a.q_len == b.q_len && a.kv_len == b.kv_len && a.heads == b.heads &&
         a.kv_heads == b.kv_heads && a.head_dim == b.head_dim && a.v_head_dim == b.v_head_dim;
}

}  // namespace

std::optional<Case> other_configuration(const Case& c, Lab& lab) {
  Case companion = plain_companion(c);
  Problem& p = companion.problem;
  set_lengths(companion, units(c, p.q_len) + 1, units(c, p.kv_len) + 2);
  set_heads(companion, c.problem.heads == 2 * c.mesh.ulysses ? 1 : 2);
  p.scale = 0.75 * effective_scale(c.problem);
  p.causal = !c.problem.causal;
  p.align = Align::top_left;
  return with_more_head_dim(companion, c, lab);
}

std::optional<Case> larger_shape(const Case& c, Lab& lab) {
  Case companion = plain_companion(c);
  const Problem& p = companion.problem;
  set_lengths(companion, units(c, p.q_len) + 1, units(c, p.kv_len) + 1);
  set_heads(companion, 2 * std::max<int64_t>(1, c.problem.heads / c.mesh.ulysses));
  companion.problem.batch += 1;
  return with_more_head_dim(companion, c, lab);
}

std::optional<Case> smaller_shape(const Case& c, Lab& lab) {
  const int64_t world = c.mesh.world();
  Case companion = plain_companion(c);
  Problem& p = companion.problem;
  p.batch = 1;
  set_heads(companion, 1);
  for (int64_t tokens : {world, 2 * world}) {
    p.q_len = std::min(c.problem.q_len, tokens);
    p.kv_len = std::min(c.problem.kv_len, tokens);
    for (int64_t head_dim : {std::max<int64_t>(1, c.problem.head_dim / 2), c.problem.head_dim}) {
      set_head_dim(companion, head_dim);
      if (!same_shape(p, c.problem) && lab.supports(companion)) return companion;
    }
  }
  return std::nullopt;
}

}  // namespace attncheck

#include "properties/checks/companions.h"

#include <algorithm>

namespace attncheck {
namespace {

// The same call on data of its own.
Case twin(const Case& c) {
  Case companion = c;
  companion.problem.data = Data::normal;
  companion.problem.view = View::none;
  companion.grad = GradSet{};
  companion.lse_cotangent = false;
  companion.seed = c.seed + 1;
  return companion;
}

// The same where lengths are to change.
Case plain_companion(const Case& c) {
  Case companion = twin(c);
  Problem& p = companion.problem;
  p.shards.clear();
  p.documents.clear();
  p.joint = Joint{};
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

using Change = void (*)(Case&);

void change_scale(Case& c) {
  c.problem.scale = 0.75 * effective_scale(c.problem);
}

void change_causality(Case& c) {
  c.problem.causal = !c.problem.causal;
}

void change_alignment(Case& c) {
  const bool top_left = c.problem.align == Align::top_left;
  c.problem.align = top_left ? Align::bottom_right : Align::top_left;
}

void change_window(Case& c) {
  Problem& p = c.problem;
  p.window = p.window ? std::optional<int64_t>() : std::max(p.q_len, p.kv_len) / 2;
}

void change_merging(Case& c) {
  c.convert_to_fp32 = !c.convert_to_fp32;
}

void change_rotation(Case& c) {
  c.rotate = c.rotate == Rotate::allgather ? Rotate::p2p : Rotate::allgather;
}

void change_return_lse(Case& c) {
  c.return_lse = !c.return_lse;
}

void change_nothing(Case&) {}

constexpr Change kChanges[] = {change_scale,   change_causality, change_alignment,  change_window,
                               change_merging, change_rotation,  change_return_lse, change_nothing};

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

std::optional<Case> one_option_apart(const Case& c, Lab& lab) {
  const size_t changes = std::size(kChanges);
  for (size_t i = 0; i < changes; ++i) {
    Case companion = twin(c);
    kChanges[(c.seed / 2 + i) % changes](companion);
    if (lab.supports(companion)) return companion;
  }
  return std::nullopt;
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

std::optional<Case> with_long_keys(const Case& c, Lab& lab) {
  constexpr int64_t kMore = 16;
  if (c.problem.kv_len >= kMore * c.problem.q_len) return std::nullopt;
  Case companion = plain_companion(c);
  companion.problem.batch = 1;
  companion.problem.window.reset();
  set_lengths(companion, 1, kMore);
  return lab.supports(companion) ? std::optional(companion) : std::nullopt;
}

}  // namespace attncheck

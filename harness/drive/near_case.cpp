#include "harness/drive/near_case.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "harness/drive/draw_case.h"
#include "harness/drive/smaller_cases.h"

namespace attncheck {
namespace {

// One more or less, twice or half as many; `step` apart, at most `most` or what it was.
int64_t other_size(int64_t size, int64_t step, int64_t most, const Pick& pick) {
  const std::array<int64_t, 4> ways{size + step, size - step, 2 * size, size / 2};
  const int64_t other = ways[pick(ways.size())];
  return std::clamp(other, std::min(size, step), std::max(size, most));
}

// In tokens of a rank; what the ranks do not share evenly stays.
int64_t other_length(int64_t length, const Mesh& mesh, const Pick& pick) {
  const int64_t world = mesh.world(), left_over = length % world;
  const int64_t local = other_size(length / world, 1, most_local_tokens(mesh), pick);
  return std::max<int64_t>(1, local * world + left_over);
}

void set_other_lengths(Case& c, const Abilities& abilities, const Pick& pick) {
  Problem& p = c.problem;
  const bool alike = p.q_len == p.kv_len;
  const bool together = alike && (!abilities.has("kv") || !p.documents.empty() || pick(2) == 0);
  const bool of_keys = pick(2) == 1;
  const int64_t length = other_length(of_keys ? p.kv_len : p.q_len, c.mesh, pick);
  if (together || of_keys) p.kv_len = length;
  if (together || !of_keys) p.q_len = length;
  p.shards.clear();
}

// Groups stay as large as they are.
void set_other_heads(Case& c, const Pick& pick) {
  Problem& p = c.problem;
  const int64_t group = p.heads / p.kv_heads;
  const int64_t step = p.kv_heads % c.mesh.ulysses == 0 ? c.mesh.ulysses : 1;
  p.kv_heads = other_size(p.kv_heads, step, kMostHeads / group, pick) / step * step;
  p.heads = p.kv_heads * group;
}

void set_other_head_dim(Case& c, const Abilities& abilities, const Pick& pick) {
  Problem& p = c.problem;
  const bool alike = p.head_dim == p.v_head_dim;
  const int64_t multiple = abilities.head_dim_multiple;
  p.head_dim = other_size(p.head_dim, multiple, most_head_dim(c.mesh), pick);
  if (alike) p.v_head_dim = p.head_dim;
  round_head_dims(p, multiple);
}

void set_other_size(Case& c, const Abilities& abilities, const Pick& pick) {
  switch (pick(5)) {
    case 0:
      c.problem.batch = other_size(c.problem.batch, 1, kMostBatches, pick);
      return;
    case 1:
      return set_other_heads(c, pick);
    case 2:
      return set_other_head_dim(c, abilities, pick);
    default:
      return set_other_lengths(c, abilities, pick);
  }
}

void set_feature(Case& c, const Abilities& abilities, const Pick& pick) {
  std::vector<const Feature*> drawn;
  for (const Feature* feature : abilities.supported) {
    if (feature->percent > 0) drawn.push_back(feature);
  }
  if (!drawn.empty()) drawn[pick(drawn.size())]->set(c, pick);
}

bool of_one_size(const Case& a, const Case& b) {
  const Problem &p = a.problem, &q = b.problem;
  return a.mesh.world() == b.mesh.world() && a.seed == b.seed && p.batch == q.batch &&
         p.q_len == q.q_len && p.kv_len == q.kv_len && p.heads == q.heads &&
         p.kv_heads == q.kv_heads && p.head_dim == q.head_dim && p.v_head_dim == q.v_head_dim;
}

void drop_feature(Case& c, const Pick& pick) {
  std::vector<Case> fewer = smaller_cases(c);
  std::erase_if(fewer, [&](const Case& smaller) { return !of_one_size(smaller, c); });
  if (!fewer.empty()) c = fewer[pick(fewer.size())];
}

// Features add a token now and then: not once more for each that a case comes from.
bool grew_too_long(const Case& c, const Case& closest) {
  const int64_t world = c.mesh.world();
  const int64_t most = (most_local_tokens(c.mesh) + 1) * world + c.problem.joint.tokens;
  const auto length = [](const Case& x) { return std::max(x.problem.q_len, x.problem.kv_len); };
  return length(c) > std::max(most, length(closest));
}

}  // namespace

Case near_case(const Case& closest, SubjectKind kind, const Abilities& abilities,
               const Pick& pick) {
  Case c = closest;
  const int64_t way = needs_backend(kind) ? pick(100) : 0;
  if (way >= 80) {
    set_other_size(c, abilities, pick);
  } else if (way >= 65) {
    drop_feature(c, pick);
  } else if (way >= 50) {
    set_feature(c, abilities, pick);
  }
  if (needs_backend(kind)) drop_what_does_not_fit(c.problem);
  if (grew_too_long(c, closest)) c = closest;
  const bool other_data = c == closest || pick(2) == 1;
  if (other_data) c.seed = static_cast<uint64_t>(pick(int64_t{1} << 32));
  return c;
}

}  // namespace attncheck

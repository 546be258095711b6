#include "harness/drive/smaller_cases.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "harness/drive/smaller_places.h"
#include "problem/case_keys.h"

namespace attncheck {
namespace {

uint64_t q_elements(const Problem& p) {
  return p.batch * p.q_len * p.heads * p.head_dim;
}
uint64_t k_elements(const Problem& p) {
  return p.batch * p.kv_len * p.kv_heads * p.head_dim;
}
uint64_t v_elements(const Problem& p) {
  return p.batch * p.kv_len * p.kv_heads * p.v_head_dim;
}

// Everything but the sizes, the mesh, the subject and the seed, put back to its default.
Case without_features(const Case& c) {
  Case plain;
  plain.impl = c.impl;
  plain.backend = c.backend;
  plain.transport = c.transport;
  plain.mesh = {c.mesh.ring, c.mesh.ulysses};
  const Problem& p = c.problem;
  plain.problem.batch = p.batch;
  plain.problem.q_len = p.q_len;
  plain.problem.kv_len = p.kv_len;
  plain.problem.heads = p.heads;
  plain.problem.kv_heads = p.kv_heads;
  plain.problem.head_dim = p.head_dim;
  plain.problem.v_head_dim = p.v_head_dim;
  plain.problem.dtype = p.dtype;
  plain.seed = c.seed;
  return plain;
}

bool is_feature(const CaseKey& key, const Case& c, const Case& plain) {
  return key.get(c) != key.get(plain);
}

uint64_t feature_count(const Case& c) {
  const Case plain = without_features(c);
  uint64_t count = 0;
  for (const CaseKey& key : case_keys()) count += is_feature(key, c, plain) ? 1 : 0;
  return count;
}

// A length for fewer ranks: as much a rank as before, and what was left over.
int64_t adapted(int64_t size, int64_t from, int64_t to) {
  return std::max<int64_t>(1, size - (from - to) * (size / from));
}

Case on_mesh(const Case& c, const Mesh& mesh) {
  Case smaller = c;
  Problem& p = smaller.problem;
  p.q_len = adapted(p.q_len, c.mesh.world(), mesh.world());
  p.kv_len = adapted(p.kv_len, c.mesh.world(), mesh.world());
  p.heads = adapted(p.heads, c.mesh.ulysses, mesh.ulysses);
  p.kv_heads = adapted(p.kv_heads, c.mesh.ulysses, mesh.ulysses);
  p.shards.clear();
  smaller.mesh = mesh;
  return smaller;
}

// As many heads as a rank has tokens: where a transposed tensor still fits, that must stay so.
bool is_square(const Case& c) {
  return c.problem.q_len == c.problem.heads * c.mesh.world();
}

// The same problem, for a fault that needs as many tokens or heads whatever the ranks.
Case whole_on_mesh(const Case& c, const Mesh& mesh) {
  Case smaller = c;
  smaller.mesh = mesh;
  smaller.problem.shards.clear();
  return smaller;
}

Case square_on_mesh(const Case& c, const Mesh& mesh) {
  Case smaller = on_mesh(c, mesh);
  Problem& p = smaller.problem;
  p.heads = p.kv_heads = mesh.ulysses;
  p.q_len = p.heads * mesh.world();
  return smaller;
}

void add_fewer_ranks(const Case& c, std::vector<Case>& all) {
  for (int ring = 1; ring <= c.mesh.ring; ++ring) {
    for (int ulysses = 1; ulysses <= c.mesh.ulysses; ++ulysses) {
      const Mesh mesh{ring, ulysses, c.mesh.order};
      if (mesh.world() >= c.mesh.world()) continue;
      all.push_back(on_mesh(c, mesh));
      all.push_back(whole_on_mesh(c, mesh));
      if (is_square(c)) all.push_back(square_on_mesh(c, mesh));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Case& a, const Case& b) { return a.mesh.world() < b.mesh.world(); });
}

// One size of a case, counted in `unit`s: tokens by rank, heads by Ulysses rank.
struct Size {
  int64_t unit;
  int64_t value;  // of the whole
  std::function<void(Problem&, int64_t)> set;
  int64_t local() const { return value / unit; }
};

// Heads take the KV heads along: the group stays as long as it divides.
void set_heads(Problem& p, int64_t heads, int64_t unit) {
  int64_t kv_heads = p.kv_heads == p.heads ? heads : std::min(p.kv_heads, heads);
  while (kv_heads > 1 && (heads % kv_heads != 0 || kv_heads % unit != 0)) --kv_heads;
  p.kv_heads = kv_heads;
  p.heads = heads;
}

std::vector<Size> sizes_of(const Case& c) {
  const Problem& p = c.problem;
  const int64_t world = c.mesh.world();
  const int64_t ulysses = c.mesh.ulysses;
  const bool divisible = p.heads % ulysses == 0 && p.kv_heads % ulysses == 0;
  const int64_t unit = divisible ? ulysses : 1;
  return {
      {world, p.q_len, [](Problem& q, int64_t n) { q.q_len = n; }},
      {world, p.kv_len, [](Problem& q, int64_t n) { q.kv_len = n; }},
      {unit, p.heads, [unit](Problem& q, int64_t n) { set_heads(q, n, unit); }},
      {1, p.head_dim,
       [](Problem& q, int64_t n) {
         q.v_head_dim = q.v_head_dim == q.head_dim ? n : q.v_head_dim;
         q.head_dim = n;
       }},
      {1, p.v_head_dim, [](Problem& q, int64_t n) { q.v_head_dim = n; }},
      {1, p.batch, [](Problem& q, int64_t n) { q.batch = n; }},
  };
}

// 1, the half and one less, in a rank's units; a length that the ranks do not share evenly keeps
// what is left over.
std::vector<int64_t> smaller_values(const Size& size) {
  std::vector<int64_t> values;
  const int64_t left_over = size.value % size.unit;
  for (int64_t local : {int64_t{1}, size.local() / 2, size.local() - 1}) {
    if (local >= 1 && local < size.local()) values.push_back(local * size.unit + left_over);
  }
  constexpr int64_t kStep = 8;  // of a head_dim that has to stay a multiple of it
  if (size.unit == 1 && size.value % kStep == 0 && size.value > kStep) {
    values.push_back(size.value - kStep);
  }
  return values;
}

// Sets of sizes that shrink together: all of one local value, and two of one value (kv, heads and
// head_dim as the tokens or the heads of a rank or of the whole).
void add_smaller_together(const Case& c, std::vector<Case>& all) {
  const std::vector<Size> sizes = sizes_of(c);
  const size_t joined = 5;
  for (unsigned set = (1u << joined) - 1; set > 0; --set) {
    std::vector<const Size*> members;
    for (size_t i = 0; i < joined; ++i) {
      if (set & (1u << i)) members.push_back(&sizes[i]);
    }
    if (members.size() < 2) continue;
    for (bool whole : {false, true}) {
      const auto of = [whole](const Size& s) { return whole ? s.value : s.local(); };
      if (std::any_of(members.begin(), members.end(),
                      [&](const Size* s) { return of(*s) != of(*members[0]); })) {
        continue;
      }
      for (int64_t n : {int64_t{1}, int64_t{2}, of(*members[0]) / 2, of(*members[0]) - 1}) {
        if (n < 1 || n >= of(*members[0])) continue;
        Case smaller = c;
        for (const Size* s : members) s->set(smaller.problem, whole ? n : n * s->unit);
        all.push_back(smaller);
      }
    }
  }
}

void add_smaller_sizes(const Case& c, std::vector<Case>& all) {
  for (const Size& size : sizes_of(c)) {
    for (int64_t value : smaller_values(size)) {
      all.push_back(c);
      size.set(all.back().problem, value);
    }
  }
  const Problem& p = c.problem;
  if (p.kv_heads < p.heads) {
    all.push_back(c);
    all.back().problem.heads = p.kv_heads;
    all.push_back(c);
    all.back().problem.kv_heads = p.heads % c.mesh.ulysses == 0 ? c.mesh.ulysses : 1;
  }
  for (int64_t Problem::*field : {&Problem::q_len, &Problem::kv_len}) {
    all.push_back(c);
    all.back().problem.*field = std::min(p.q_len, p.kv_len);
  }
  all.push_back(c);
  all.back().problem.head_dim = all.back().problem.v_head_dim = std::min(p.head_dim, p.v_head_dim);
}

// Causal goes together with its alignment: without it the alignment says nothing.
void add_fewer_features(const Case& c, std::vector<Case>& all) {
  const Case plain = without_features(c);
  all.push_back(plain);
  if (c.problem.causal) {
    all.push_back(c);
    all.back().problem.causal = false;
    all.back().problem.align = Align::top_left;
  }
  if (c.problem.scale) {
    all.push_back(c);
    all.back().problem.scale.reset();
  }
  if (!c.problem.shards.empty()) {
    all.push_back(c);
    all.back().problem.shards.clear();
  }
  if (c.problem.window) {
    all.push_back(c);
    all.back().problem.window.reset();
  }
  if (!c.problem.documents.empty()) {
    all.push_back(c);
    all.back().problem.documents.clear();
  }
  if (!c.schedule.empty()) {
    all.push_back(c);
    all.back().schedule.clear();
  }
  for (const CaseKey& key : case_keys()) {
    if (!is_feature(key, c, plain) || key.get(plain).empty()) continue;
    all.push_back(c);
    key.set(all.back(), key.get(plain));
  }
}

void add_smaller_seeds(const Case& c, std::vector<Case>& all) {
  for (uint64_t seed = 1; seed < 5 && seed < c.seed; ++seed) {
    all.push_back(c);
    all.back().seed = seed;
  }
}

bool consistent(const Case& c) {
  const Problem& p = c.problem;
  return p.kv_heads >= 1 && p.heads % p.kv_heads == 0 && documents_fit(p) &&
         p.joint.tokens < std::min(p.q_len, p.kv_len) &&
         (p.shards.empty() || static_cast<int>(p.shards.size()) == c.mesh.world());
}

}  // namespace

CaseMeasure measure(const Case& c) {
  const Problem& p = c.problem;
  return {static_cast<uint64_t>(c.mesh.world()), q_elements(p) + k_elements(p) + v_elements(p),
          feature_count(c), c.seed};
}

std::vector<Case> smaller_cases(const Case& c) {
  std::vector<Case> all;
  add_fewer_ranks(c, all);
  add_smaller_together(c, all);
  add_smaller_sizes(c, all);
  add_smaller_shards(c, all);
  add_smaller_documents(c, all);
  add_fewer_joint_tokens(c, all);
  add_fewer_features(c, all);
  add_smaller_seeds(c, all);
  add_smaller_windows(c, all);
  std::vector<Case> smaller;
  for (const Case& drawn : all) {
    const Case candidate = with_fitting_documents(drawn);
    const bool is_new = std::find(smaller.begin(), smaller.end(), candidate) == smaller.end();
    if (is_new && consistent(candidate) && measure(candidate) < measure(c)) {
      smaller.push_back(candidate);
    }
  }
  return smaller;
}

bool at_least_as_small(const Case& c, const Case& other) {
  const auto size = [](const Case& x) {
    return std::pair(x.mesh.world(), q_elements(x.problem) + k_elements(x.problem));
  };
  return size(c) <= size(other);
}

}  // namespace attncheck

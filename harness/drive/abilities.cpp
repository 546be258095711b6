#include "harness/drive/abilities.h"

#include <algorithm>

#include "problem/next_multiple.h"

namespace attncheck {
namespace {

// plain_case has a head_dim of 8.
int64_t head_dim_multiple(const Case& plain, const SupportsCase& supports) {
  for (int64_t multiple = 1; multiple < plain.problem.head_dim; multiple *= 2) {
    Case c = plain;
    c.problem.head_dim = c.problem.v_head_dim = plain.problem.head_dim + multiple;
    if (supports(c)) return multiple;
  }
  return plain.problem.head_dim;
}

int64_t least_tokens(const Case& plain, const SupportsCase& supports) {
  Case c = plain;
  c.problem.q_len = c.problem.kv_len = c.mesh.world();
  return supports(c) ? 1 : 2;
}

// Fewer tokens than ranks: where Ulysses gathers them, a rank has a pair that least_tokens misses.
// Models take any number of tokens.
bool takes_one_pair(const Case& plain, SubjectKind kind, const SupportsCase& supports) {
  const bool model = kind == SubjectKind::model;
  Case few = plain;
  few.problem.q_len = model ? 1 : few.mesh.ring;
  if (model && supports(few)) return true;
  few.problem.kv_len = few.problem.q_len;
  return supports(few).ok;
}

}  // namespace

void round_head_dims(Problem& problem, int64_t multiple) {
  const bool alike = problem.head_dim == problem.v_head_dim;
  for (int64_t* size : {&problem.head_dim, &problem.v_head_dim}) {
    *size = next_multiple(*size, multiple);
  }
  if (!alike && problem.head_dim == problem.v_head_dim) problem.v_head_dim += multiple;
}

bool Abilities::has(const std::string& feature) const {
  return std::any_of(supported.begin(), supported.end(),
                     [&](const Feature* f) { return f->name == feature; });
}

Abilities ask_abilities(const StreamSpec& spec, const Mesh& mesh, const SupportsCase& supports) {
  const Case plain = plain_case(spec, mesh);
  Abilities abilities;
  abilities.plain = supports(plain);
  if (!abilities.plain || !needs_backend(spec.kind)) return abilities;
  abilities.head_dim_multiple = head_dim_multiple(plain, supports);
  abilities.least_tokens = least_tokens(plain, supports);
  abilities.takes_one_pair = takes_one_pair(plain, spec.kind, supports);
  for (const Feature& feature : all_features()) {
    Case c = plain;
    feature.set(c, [](int64_t) { return 0; });
    if (feature.name == "dv") round_head_dims(c.problem, abilities.head_dim_multiple);
    if (c == plain) continue;
    const bool supported = supports(c).ok;
    if (!supported && feature.of_transport) continue;
    (supported ? abilities.supported : abilities.refused).push_back(&feature);
  }
  Case stripes = plain;
  stripes.problem.layout = Layout::striped;
  stripes.problem.causal = true;
  abilities.stripes_by_place = supports(stripes).ok;
  return abilities;
}

}  // namespace attncheck

#include <algorithm>
#include <limits>

#include <ATen/ops/empty.h>

#include "properties/checks/applies.h"
#include "properties/checks/edited_run.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/key_edits.h"

namespace attncheck {
namespace {

// The vector of each query head's keys, times the scale: (1, 1, H, D).
at::Tensor scaled_shift(const Problem& p, const Case& c) {
  at::Tensor shift = at::empty({1, 1, p.heads, p.head_dim}, at::kDouble);
  double* out = shift.data_ptr<double>();
  const int64_t group = p.heads / p.kv_heads;
  for (int64_t h = 0; h < p.heads; ++h)
    for (int64_t d = 0; d < p.head_dim; ++d)
      *out++ = effective_scale(p) * key_shift(c, h / group, d);
  return shift;
}

// An lse without a gradient takes no cotangent.
bool lse_has_gradient(const Observation& observation) {
  return std::ranges::all_of(observation.ranks, [](const RankResult& rank) {
    const auto fact = rank.facts.find("lse_requires_grad");
    return fact == rank.facts.end() || fact->second == "1";
  });
}

// lse_i grows by scale * q_i . c, dq_i by scale * dlse_i * c where the row sees a key.
at::Tensor growth_of(const std::string& tensor, const Case& c, const Expected& expected,
                     bool with_dlse) {
  const at::Tensor shift = scaled_shift(c.problem, c);
  if (tensor == "lse") return expected.inputs.q.to(at::kDouble).mul(shift).sum(-1);
  if (tensor != "dq" || !with_dlse || !expected.dlse.defined()) return {};
  const at::Tensor empty = expected.forward.lse.eq(-std::numeric_limits<double>::infinity());
  return expected.dlse.to(at::kDouble).masked_fill(empty, 0).unsqueeze(-1).mul(shift);
}

// The products of the growth are rounded in float64. That error is of the size that both bounds
// count for the scores, as |c| <= |k| + |k + c|.
Verdict shift_shifts(const Case& c, Lab& lab) {
  Request plain = base_request(c);
  plain.key = KeyEdit::grid;
  Request shifted = plain;
  shifted.key = KeyEdit::shifted;
  const bool with_dlse = lse_has_gradient(lab.observe(shifted));
  Relation relation;
  relation.from = "what the keys give without the shift, and what the shift must add";
  relation.carried = [](const std::string&, const at::Tensor& x) { return x; };
  relation.growth = [&](const std::string& tensor) {
    return growth_of(tensor, c, lab.expected(plain), with_dlse);
  };
  return follows(lab, plain, shifted, all_tensors(c), relation);
}

}  // namespace

Property shifting_keys_by_a_constant_vector_shifts_lse() {
  Property property;
  property.name = "shifting_keys_by_a_constant_vector_shifts_lse";
  property.explains = "adding c to every key adds scale * q.c to lse and scale * dlse * c to dq";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_mild_scores(c)});
  };
  property.check = shift_shifts;
  return property;
}

}  // namespace attncheck

#include "properties/checks/applies.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"
#include "properties/compare.h"
#include "properties/key_edits.h"

namespace attncheck {
namespace {

Support needs_two_cells(const Case& c) {
  return cell_count(c) > 1 ? Support::yes() : Support::no("there is one batch and one KV head");
}

// (B, S, H, ...) with zeros in the cells whose data change; a tensor of another shape as it is.
at::Tensor in_kept_cells(const Case& c, const std::string& tensor, const at::Tensor& x) {
  const Problem& p = c.problem;
  const int64_t heads = axis_of(tensor) == Axis::key ? p.kv_heads : p.heads;
  if (x.dim() < 3 || x.size(0) != p.batch || x.size(2) != heads) return x;
  const at::Tensor kept = x.clone();
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      if (changed_cell(c, b, h / (heads / p.kv_heads))) kept.select(0, b).select(1, h).zero_();
    }
  return kept;
}

Observation kept_cells(const Case& c, const Observation& observation) {
  Observation kept = observation;
  for (RankResult& rank : kept.ranks) {
    for (const std::string& tensor : all_tensors(c)) {
      const auto found = rank.tensors.find(tensor);
      if (found != rank.tensors.end()) found->second = in_kept_cells(c, tensor, found->second);
    }
  }
  return kept;
}

Verdict within_bounds(const Request& plain, const Observation& of_plain, const Request& edited,
                      const Observation& of_edited, const std::string& tensor, Lab& lab) {
  const at::Tensor whole = assemble(plain, of_plain, tensor);
  if (!whole.defined()) return Verdict::not_run(tensor + " has not the right shape");
  const at::Tensor bound =
      bound_of(lab.expected(plain), tensor).add(bound_of(lab.expected(edited), tensor));
  return compare_shards(edited, of_edited, tensor, whole, bound);
}

Verdict cells_are_independent(const Case& c, Lab& lab) {
  const Request plain = base_request(c);
  Request edited = plain;
  edited.other_cells = true;
  const bool deterministic = !not_deterministic(c, lab);
  const Observation of_plain = kept_cells(c, lab.observe(plain));
  const Observation of_edited = kept_cells(c, lab.observe(edited));
  return judge_each(of_edited, all_tensors(c), [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_plain, tensor)) return *nothing;
    Verdict verdict = deterministic
                          ? compare_bits(of_plain, of_edited, tensor)
                          : within_bounds(plain, of_plain, edited, of_edited, tensor, lab);
    return compared_with("what it was before other batches or heads changed", std::move(verdict));
  });
}

}  // namespace

Property batch_and_head_are_independent() {
  Property property;
  property.name = "batch_and_head_are_independent";
  property.explains = "other data in some batches and KV heads leave the rest as it was";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_two_cells(c)}); };
  property.check = cells_are_independent;
  return property;
}

}  // namespace attncheck

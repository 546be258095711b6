#include "properties/checks/applies.h"

#include <algorithm>

#include "properties/sight.h"

namespace attncheck {
namespace {

Support only_if(bool holds, const char* reason) {
  return holds ? Support::yes() : Support::no(reason);
}

}  // namespace

std::set<SubjectKind> attention_subjects() {
  return {SubjectKind::implementation, SubjectKind::local};
}

Support needs_attention(const Case& c) {
  if (subject_kind(c) == "collective") return Support::no("speaks of attention");
  if (c.problem.data == Data::tagged) return Support::no("data=tagged is for collectives");
  return only_if(c.problem.data != Data::selector || c.problem.dtype != DType::f16,
                 "data=selector leaves the range of float16");
}

Support needs_lse(const Case& c) {
  return only_if(c.return_lse, "the log-sum-exp is not asked for (return_lse=0)");
}

Support needs_gradient(const Case& c) {
  return only_if(c.grad.any(), "nothing requires grad (grad=none)");
}

Support needs_world(const Case& c) {
  return only_if(c.mesh.world() > 1, "needs more than one rank");
}

Support needs_mild_scores(const Case& c) {
  return only_if(c.problem.data == Data::normal || c.problem.data == Data::offset,
                 "needs data=normal or data=offset: most weights are zero with other data");
}

Support needs_exact_integers(const Case& c) {
  return only_if(c.problem.dtype == DType::f64 || c.problem.dtype == DType::f32,
                 "the integers are exact in float64 and float32 alone");
}

Support needs_empty_rows(const Case& c) {
  return only_if(may_have_empty_rows(c), "every query sees a key");
}

Support needs_view(const Case& c) {
  return only_if(c.problem.view != View::none, "the tensors are contiguous (view=none)");
}

Support needs_no_additive_mask(const Case& c) {
  return only_if(c.problem.mask != Mask::additive, "an additive mask changes the scores");
}

Support needs_free_keys(const Case& c) {
  return only_if(sees_every_place(c.problem),
                 "which keys a query sees depends on their places (causal, window or documents)");
}

Support needs_several_keys(const Case& c) {
  return only_if(c.problem.kv_len > 1, "there is one key");
}

Support all_of(std::initializer_list<Support> needs) {
  for (const Support& need : needs) {
    if (!need) return need;
  }
  return Support::yes();
}

Support needs_remote_keys(const Case& c) {
  for (int query_rank = 0; query_rank < c.mesh.world(); ++query_rank)
    for (int key_rank = 0; key_rank < c.mesh.world(); ++key_rank)
      if (query_rank != key_rank && sees_shard(c, query_rank, key_rank)) return Support::yes();
  return Support::no("no query sees a key of another rank");
}

}  // namespace attncheck

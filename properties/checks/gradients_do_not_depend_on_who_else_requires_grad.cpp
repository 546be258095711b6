#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

constexpr GradSet kProperSubsets[] = {{true, false, false}, {false, true, false},
                                      {false, false, true}, {true, true, false},
                                      {true, false, true},  {false, true, true}};

Request request_for(const Case& c, GradSet grad) {
  Case subset = c;
  subset.grad = grad;
  return plain_request(subset);
}

Verdict subset_agrees(const Case& c, Lab& lab, GradSet grad) {
  const Request full = request_for(c, GradSet{}), subset = request_for(c, grad);
  const Observation& of_full = lab.observe(full);
  const Observation& of_subset = lab.observe(subset);
  return judge_each(of_subset, gradient_tensors(subset.case_), [&](const std::string& tensor) {
    const at::Tensor whole = assemble(full, of_full, tensor);
    if (!whole.defined()) return Verdict::not_run(tensor + " with grad=qkv has no right shape");
    Verdict verdict = compare_shards(subset, of_subset, tensor, whole,
                                     bound_of(lab.expected(full), tensor).mul(2));
    return compared_with("that of grad=qkv when only grad=" + to_text(grad), std::move(verdict));
  });
}

Verdict subsets_agree(const Case& c, Lab& lab) {
  if (const auto ended = ended_early(lab.observe(request_for(c, GradSet{})))) return *ended;
  Verdict worst = subset_agrees(c, lab, kProperSubsets[0]);
  for (const GradSet& grad : kProperSubsets) worst = worse(worst, subset_agrees(c, lab, grad));
  return worst;
}

}  // namespace

Property gradients_do_not_depend_on_who_else_requires_grad() {
  Property property;
  property.name = "gradients_do_not_depend_on_who_else_requires_grad";
  property.explains = "a gradient is the same whichever of the other inputs require grad";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = subsets_agree;
  return property;
}

}  // namespace attncheck

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/memory.h"
#include "properties/checks/two_runs.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

Verdict views_agree(const Case& c, Lab& lab) {
  const Request viewed = base_request(c);
  Request copied = viewed;
  copied.contiguous = true;
  const Observation &of_views = lab.observe(viewed), &of_copies = lab.observe(copied);
  if (auto failed = error_of_second_alone(of_copies, of_views, "a run on views")) return *failed;
  return judge_each(of_views, all_tensors(c), [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_copies, tensor)) return *nothing;
    const at::Tensor whole = assemble(copied, of_copies, tensor);
    if (!whole.defined()) return Verdict::not_run(tensor + " of the copies has no right shape");
    const at::Tensor bound = bound_of(lab.expected(viewed), tensor).mul(2);
    return compared_with("that of contiguous copies",
                         compare_shards(viewed, of_views, tensor, whole, bound));
  });
}

}  // namespace

Property views_and_strides_do_not_matter() {
  Property property;
  property.name = "views_and_strides_do_not_matter";
  property.explains = "views of inputs and cotangents give what contiguous copies give";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_view(c)}); };
  property.check = views_agree;
  return property;
}

}  // namespace attncheck

#include "properties/checks/edited_run.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {

Verdict follows(Lab& lab, const Request& plain, const Request& edited,
                const std::vector<std::string>& tensors, const Relation& relation) {
  const Observation &of_plain = lab.observe(plain), &of_edited = lab.observe(edited);
  return judge_each(of_edited, tensors, [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_plain, tensor)) return *nothing;
    const at::Tensor whole = assemble(plain, of_plain, tensor);
    if (!whole.defined() || whole.sizes() != value_of(lab.expected(plain), tensor).sizes()) {
      return Verdict::not_run(tensor + " of the run without the edit has not the right shape");
    }
    at::Tensor value = relation.carried(tensor, whole);
    const at::Tensor more = relation.growth(tensor);
    if (more.defined()) value = value.add(more);
    const at::Tensor bound = relation.carried(tensor, bound_of(lab.expected(plain), tensor))
                                 .add(bound_of(lab.expected(edited), tensor));
    return compared_with(relation.from, compare_shards(edited, of_edited, tensor, value, bound));
  });
}

at::Tensor rows_of(const at::Tensor& x, const std::vector<int64_t>& rows) {
  return at::index_select(x, 1, at::tensor(rows));
}

}  // namespace attncheck

#include <c10/core/ScalarType.h>

#include "impl/contract/dtypes.h"
#include "properties/checks/applies.h"
#include "properties/checks/contracts.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

at::ScalarType declared(const Case& c, const std::string& tensor) {
  const at::ScalarType q = scalar_type(c.problem.dtype);
  return tensor == "lse" ? lse_scalar_type(q) : q;
}

Verdict has_dtype(const Observation& observation, const std::string& tensor, at::ScalarType dtype) {
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(tensor);
    const std::string got =
        found == rank.tensors.end() ? "missing" : c10::toString(found->second.scalar_type());
    if (got != c10::toString(dtype)) {
      return wrong_form(tensor, rank.rank, c10::toString(dtype), got);
    }
  }
  return Verdict::pass();
}

Verdict dtypes_are_right(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(plain_request(c));
  return judge_each(observation, forward_tensors(c), [&](const std::string& tensor) {
    return has_dtype(observation, tensor, declared(c, tensor));
  });
}

}  // namespace

Property out_and_lse_have_declared_dtype() {
  Property property;
  property.name = "out_and_lse_have_declared_dtype";
  property.explains = "out has the dtype of q; lse the wider of that and float32";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = dtypes_are_right;
  return property;
}

}  // namespace attncheck

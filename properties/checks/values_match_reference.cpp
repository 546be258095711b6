#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/values.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

Verdict tensors_match(const Case& c, Lab& lab, const std::vector<std::string>& tensors) {
  const Request request = plain_request(c);
  const Observation& observation = lab.observe(request);
  return judge_each(observation, tensors, [&](const std::string& tensor) {
    const Expected& expected = lab.expected(request);
    return compare_shards(request, observation, tensor, value_of(expected, tensor),
                          bound_of(expected, tensor));
  });
}

}  // namespace

Property output_matches_reference() {
  Property property;
  property.name = "output_matches_reference";
  property.explains = "out equals dense float64 attention within the bound, on every rank";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = [](const Case& c, Lab& lab) { return tensors_match(c, lab, {"out"}); };
  return property;
}

Property lse_matches_reference() {
  Property property;
  property.name = "lse_matches_reference";
  property.explains = "lse is the natural log of the summed exp of the scores, on every rank";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_lse(c)}); };
  property.check = [](const Case& c, Lab& lab) { return tensors_match(c, lab, {"lse"}); };
  return property;
}

Property gradients_match_reference() {
  Property property;
  property.name = "gradients_match_reference";
  property.explains = "dq, dk and dv equal the reference's, each on its own, on every rank";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_gradient(c)}); };
  property.check = [](const Case& c, Lab& lab) {
    return tensors_match(c, lab, gradient_tensors(c));
  };
  return property;
}

}  // namespace attncheck

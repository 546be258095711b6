#include "properties/checks/applies.h"
#include "properties/checks/exact.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

std::optional<std::string> not_zero(int, int64_t, double value) {
  return value == 0 ? std::nullopt : std::optional<std::string>("0");
}

Verdict zero_gives_zero(const Case& c, Lab& lab) {
  Request request = plain_request(c);
  request.dout.kind = Cotangent::Kind::zero;
  const Observation& observation = lab.observe(request);
  return judge_each(observation, gradient_tensors(c), [&](const std::string& tensor) {
    return every_element(observation, tensor, "is not zero though the cotangent is", not_zero);
  });
}

}  // namespace

Property zero_cotangent_gives_zero_gradient() {
  Property property;
  property.name = "zero_cotangent_gives_zero_gradient";
  property.explains = "a cotangent of zeros gives gradients that are exactly zero";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_gradient(c)}); };
  property.check = zero_gives_zero;
  return property;
}

}  // namespace attncheck

#include "properties/checks/applies.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

Request with_cotangent(const Case& c, Cotangent::Kind kind) {
  Request request = plain_request(c);
  request.dout.kind = kind;
  return request;
}

Verdict vjp_is_linear(const Case& c, Lab& lab) {
  const Request a = with_cotangent(c, Cotangent::Kind::grid_a);
  const Request b = with_cotangent(c, Cotangent::Kind::grid_b);
  const Request mixed = with_cotangent(c, Cotangent::Kind::grid_mixed);
  const Observation &of_a = lab.observe(a), &of_b = lab.observe(b), &of_mixed = lab.observe(mixed);
  for (const Observation* observation : {&of_a, &of_b, &of_mixed}) {
    if (const auto ended = ended_early(*observation)) return *ended;
  }
  return judge_each(of_mixed, gradient_tensors(c), [&](const std::string& tensor) {
    const at::Tensor g_a = assemble(a, of_a, tensor), g_b = assemble(b, of_b, tensor);
    if (!g_a.defined() || !g_b.defined()) {
      return Verdict::not_run(tensor + " is not there in the right shape on every rank");
    }
    const auto bound = [&](const Request& request) {
      return bound_of(lab.expected(request), tensor);
    };
    Verdict verdict = compare_shards(mixed, of_mixed, tensor, g_a.mul(2).add(g_b),
                                     bound(a).mul(2).add(bound(b)).add(bound(mixed)));
    return compared_with("2 g(a) + g(b) when the cotangent is 2 a + b", std::move(verdict));
  });
}

}  // namespace

Property vjp_is_linear_in_cotangent() {
  Property property;
  property.name = "vjp_is_linear_in_cotangent";
  property.explains = "the gradients of 2 a + b are twice those of a plus those of b";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_gradient(c)}); };
  property.check = vjp_is_linear;
  return property;
}

}  // namespace attncheck

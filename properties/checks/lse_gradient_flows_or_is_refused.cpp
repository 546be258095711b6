#include <algorithm>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/values.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

bool lse_carries_no_grad(const RankResult& rank) {
  const auto fact = rank.facts.find("lse_requires_grad");
  return fact != rank.facts.end() && fact->second == "0";
}

Verdict refused_by_some(const Observation& observation, const std::string& how, int rank) {
  Evidence evidence;
  evidence.rank = rank;
  evidence.expected = "the same refusal on every rank";
  evidence.got = how;
  evidence.message = fmt::format("rank {} refuses the gradient of lse ({}), another of {} does not",
                                 rank, how, observation.ranks.size());
  return Verdict::fail(std::move(evidence));
}

// Pass: every rank's lse says that it has no gradient. Fail: only some say so.
std::optional<Verdict> refused_by_lse(const Observation& observation) {
  const auto& ranks = observation.ranks;
  const auto refusing = std::find_if(ranks.begin(), ranks.end(), lse_carries_no_grad);
  if (refusing == ranks.end()) return std::nullopt;
  if (std::all_of(ranks.begin(), ranks.end(), lse_carries_no_grad)) return Verdict::pass();
  return refused_by_some(observation, "lse does not require grad", refusing->rank);
}

std::optional<Verdict> refused_by_error(const Observation& observation) {
  if (observation.unrepeatable) return ended_early(observation);
  const RankResult* failed = first_failed_rank(observation);
  if (failed == nullptr) return std::nullopt;
  if (failed->error->phase == Phase::process) return Verdict::not_run(error_text(*failed));
  const auto& ranks = observation.ranks;
  const auto threw = [](const RankResult& rank) { return rank.error.has_value(); };
  if (std::all_of(ranks.begin(), ranks.end(), threw)) return Verdict::pass();
  return refused_by_some(observation, error_text(*failed), failed->rank);
}

bool all_zero(const at::Tensor& whole) {
  if (!whole.defined()) return false;
  const at::Tensor values = whole.contiguous();
  const double* begin = values.const_data_ptr<double>();
  return std::all_of(begin, begin + values.numel(), [](double x) { return x == 0; });
}

Verdict flows(const Request& request, Lab& lab) {
  const Observation& observation = lab.observe(request);
  if (const auto refused = refused_by_error(observation)) return *refused;
  return judge_each(observation, gradient_tensors(request.case_), [&](const std::string& tensor) {
    const Expected& expected = lab.expected(request);
    Verdict verdict = compare_shards(request, observation, tensor, value_of(expected, tensor),
                                     bound_of(expected, tensor));
    if (verdict.failed() && all_zero(assemble(request, observation, tensor))) {
      verdict.evidence->message += ": the gradient of lse is dropped in silence";
    }
    return verdict;
  });
}

Verdict lse_gradient_flows(const Case& c, Lab& lab) {
  const Observation& plain = lab.observe(plain_request(c));
  if (const auto ended = ended_early(plain)) return *ended;
  if (const auto refused = refused_by_lse(plain)) return *refused;
  Case with_lse = c;
  with_lse.lse_cotangent = true;
  if (!lab.supports(with_lse)) return Verdict::pass();
  const Request both = base_request(with_lse);
  Request alone = both;
  alone.dout.kind = Cotangent::Kind::zero;
  return worse(flows(alone, lab), flows(both, lab));
}

}  // namespace

Property lse_gradient_flows_or_is_refused() {
  Property property;
  property.name = "lse_gradient_flows_or_is_refused";
  property.explains = "a cotangent of lse reaches dq and dk, or is refused on every rank";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_lse(c), needs_gradient(c)});
  };
  property.check = lse_gradient_flows;
  return property;
}

}  // namespace attncheck

#include "properties/checks/two_runs.h"

#include <fmt/format.h>

#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

Verdict same_bits_of(const std::string& tensor, const Observation& a, const Observation& b,
                     const std::string& between) {
  if (!all_ranks_have(a, tensor) && !all_ranks_have(b, tensor)) {
    return Verdict::not_run(tensor + " is missing in both runs");
  }
  Verdict verdict = compare_bits(a, b, tensor);
  if (verdict.failed() && !verdict.evidence->index.empty()) {
    Evidence& evidence = *verdict.evidence;
    evidence.message = fmt::format("{} of rank {} differs {}: first {}, then {}", tensor,
                                   evidence.rank, between, evidence.expected, evidence.got);
  }
  return verdict;
}

// The second run's tensor against that of the first.
Verdict close_to(const Request& a, const Observation& of_a, const Observation& of_b,
                 const std::string& tensor, const at::Tensor& bound, const std::string& between) {
  const at::Tensor first = assemble(a, of_a, tensor);
  if (!first.defined()) return Verdict::not_run(tensor + " of the first run has no right shape");
  Verdict verdict = compare_shards(a, of_b, tensor, first, bound.mul(2));
  if (verdict.failed() && !verdict.evidence->index.empty()) {
    Evidence& evidence = *verdict.evidence;
    evidence.message = fmt::format("{} of rank {} differs {}: error {:.3g}, bound {:.3g}", tensor,
                                   evidence.rank, between, evidence.error, evidence.bound);
  }
  return verdict;
}

}  // namespace

std::optional<Verdict> not_deterministic(const Case& c, Lab& lab) {
  const BackendContract* contract = lab.contract(c);
  if (contract == nullptr || contract->deterministic) return std::nullopt;
  return Verdict::unsupported("the backend is not deterministic");
}

Verdict same_bits(const Case& c, Lab& lab, const Request& a, const Request& b,
                  const std::string& between) {
  const Observation &of_a = lab.observe(a), &of_b = lab.observe(b);
  return judge_each(of_a, all_tensors(c), [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_b, tensor)) return *nothing;
    return same_bits_of(tensor, of_a, of_b, between);
  });
}

Verdict same_result(Lab& lab, const Request& a, const Observation& of_a, const Observation& of_b,
                    const std::vector<std::string>& tensors, const std::string& between) {
  const bool bitwise = !not_deterministic(a.case_, lab);
  return judge_each(of_a, tensors, [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(of_b, tensor)) return *nothing;
    if (bitwise) return same_bits_of(tensor, of_a, of_b, between);
    return close_to(a, of_a, of_b, tensor, bound_of(lab.expected(a), tensor), between);
  });
}

std::optional<Verdict> error_of_second_alone(const Observation& first, const Observation& second,
                                             const std::string& what) {
  const RankResult* failed = first_failed_rank(second);
  const bool repeatable = !first.unrepeatable && !second.unrepeatable;
  if (failed == nullptr || !repeatable || first_failed_rank(first) != nullptr) return std::nullopt;
  Evidence evidence;
  evidence.rank = failed->rank;
  evidence.expected = "a result on every rank";
  evidence.got = failed->error->text;
  evidence.message = fmt::format("{} ended in an error at {}", what, error_text(*failed));
  return Verdict::fail(std::move(evidence));
}

Observation renamed(const Observation& observation, const std::string& prefix,
                    const std::string& suffix) {
  Observation result = observation;
  for (RankResult& rank : result.ranks) {
    std::map<std::string, at::Tensor> tensors;
    for (const auto& [name, tensor] : rank.tensors) {
      const size_t around = prefix.size() + suffix.size();
      if (name.size() <= around || !name.starts_with(prefix) || !name.ends_with(suffix)) continue;
      tensors[name.substr(prefix.size(), name.size() - around)] = tensor;
    }
    rank.tensors = std::move(tensors);
  }
  return result;
}

}  // namespace attncheck

#include "properties/checks/two_runs.h"

#include <fmt/format.h>

#include "properties/checks/judging.h"
#include "properties/compare.h"

namespace attncheck {

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
    if (!all_ranks_have(of_a, tensor) && !all_ranks_have(of_b, tensor)) {
      return Verdict::not_run(tensor + " is missing in both runs");
    }
    Verdict verdict = compare_bits(of_a, of_b, tensor);
    if (verdict.failed() && !verdict.evidence->index.empty()) {
      Evidence& evidence = *verdict.evidence;
      evidence.message = fmt::format("{} of rank {} differs {}: first {}, then {}", tensor,
                                     evidence.rank, between, evidence.expected, evidence.got);
    }
    return verdict;
  });
}

}  // namespace attncheck

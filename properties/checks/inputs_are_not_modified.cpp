#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/memory.h"
#include "properties/checks/two_runs.h"
#include "properties/compare.h"

namespace attncheck {
namespace {

std::vector<std::string> given_inputs(const Observation& given) {
  std::vector<std::string> names;
  for (const char* name : {"q", "k", "v", "dout", "dlse", "mask"}) {
    if (all_ranks_have(given, name)) names.push_back(name);
  }
  return names;
}

Verdict unchanged_after(const Observation& observation, const std::string& step) {
  const Observation given = renamed(observation, "", "_given");
  const Observation after = renamed(observation, "", "_after_" + step);
  return judge_each(after, given_inputs(given), [&](const std::string& input) {
    Verdict verdict = compare_bits(given, after, input);
    if (verdict.failed() && !verdict.evidence->index.empty()) {
      Evidence& evidence = *verdict.evidence;
      evidence.message = fmt::format("{} of rank {} is changed after {}: it was {}, it is {}",
                                     input, evidence.rank, step, evidence.expected, evidence.got);
    }
    return verdict;
  });
}

Verdict inputs_stay(const Case& c, Lab& lab) {
  Request request = base_request(c);
  request.keep_inputs = true;
  const Observation& observation = lab.observe(request);
  return worse(unchanged_after(observation, "forward"), unchanged_after(observation, "backward"));
}

}  // namespace

Property inputs_are_not_modified() {
  Property property;
  property.name = "inputs_are_not_modified";
  property.explains = "q, k, v and the cotangents are bitwise what they were";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = inputs_stay;
  return property;
}

}  // namespace attncheck

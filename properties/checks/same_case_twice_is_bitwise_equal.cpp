#include "properties/checks/applies.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

Verdict twice_equal(const Case& c, Lab& lab) {
  if (const auto reason = not_deterministic(c, lab)) return *reason;
  const Request once = base_request(c);
  Request again = once;
  again.repeat = 1;
  return same_bits(c, lab, once, again, "between two runs of one case");
}

}  // namespace

Property same_case_twice_is_bitwise_equal() {
  Property property;
  property.name = "same_case_twice_is_bitwise_equal";
  property.explains = "a second run of the same case gives the same bits";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = twice_equal;
  return property;
}

}  // namespace attncheck

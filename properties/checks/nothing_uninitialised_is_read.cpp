#include <cmath>

#include "properties/checks/applies.h"
#include "properties/checks/exact.h"
#include "properties/checks/findings.h"
#include "properties/checks/invariance.h"
#include "properties/checks/judging.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

constexpr uint8_t kNumberFill = 0x5A;

// With a look at what is in flight, which holds nothing yet.
Request filled_with(const Case& c, uint8_t byte) {
  Request request = watched_request(c);
  request.poison = byte;
  return request;
}

bool has_nan(const Observation& observation, const std::string& tensor) {
  const Verdict verdict = every_element(
      observation, tensor, "", [](int, int64_t, double value) -> std::optional<std::string> {
        return std::isnan(value) ? std::optional<std::string>("a number") : std::nullopt;
      });
  return verdict.failed();
}

// NaN where memory was filled with NaN, in a tensor that has none in the plain run.
Verdict no_new_nan(const Case& c, Lab& lab) {
  const Observation& plain = lab.observe(base_request(c));
  const Observation& filled = lab.observe(filled_with(c, kUsualFill));
  return judge_each(filled, all_tensors(c), [&](const std::string& tensor) {
    if (const auto nothing = nothing_to_judge(plain, tensor)) return *nothing;
    if (has_nan(plain, tensor)) return Verdict::pass();
    return every_element(filled, tensor, "comes from memory that nobody wrote",
                         [](int, int64_t, double value) -> std::optional<std::string> {
                           if (!std::isnan(value)) return std::nullopt;
                           return "what the run without poisoned memory gives";
                         });
  });
}

Verdict nothing_in_flight(const Case& c, Lab& lab) {
  return finding_of(lab.observe(filled_with(c, kUsualFill)), {Finding::Kind::read_early},
                    "what the exchange brings")
      .value_or(Verdict::pass());
}

Verdict nothing_is_read(const Case& c, Lab& lab) {
  if (const Verdict early = nothing_in_flight(c, lab); early.failed()) return early;
  if (lab.observe(base_request(c)).ranks.front().facts.contains("device")) {
    return Verdict::unsupported("the memory of a GPU is not filled");
  }
  if (const auto reason = not_deterministic(c, lab)) return *reason;
  return worse(no_new_nan(c, lab),
               same_bits(c, lab, filled_with(c, kUsualFill), filled_with(c, kNumberFill),
                         "when fresh memory holds other bytes"));
}

}  // namespace

Property nothing_uninitialised_is_read() {
  Property property;
  property.name = "nothing_uninitialised_is_read";
  property.explains = "what fresh memory holds does not reach the results";
  property.subjects = attention_subjects();
  property.applies = needs_attention;
  property.check = nothing_is_read;
  return property;
}

}  // namespace attncheck

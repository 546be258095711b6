#include "problem/case_text.h"
#include "properties/checks/applies.h"
#include "properties/checks/companions.h"
#include "properties/checks/judging.h"
#include "properties/checks/state.h"
#include "properties/checks/two_runs.h"

namespace attncheck {
namespace {

Verdict agrees_with_alone(Lab& lab, const Request& alone, const Observation& together,
                          const std::string& what) {
  const Observation& of_alone = lab.observe(alone);
  if (const auto ended = ended_early(of_alone)) return *ended;
  return same_result(lab, alone, of_alone, together, all_tensors(alone.case_),
                     "between a run alone and one interleaved with another (" + what + ")");
}

Verdict out_agrees_with_reference(Lab& lab, const Request& request, const Observation& observed,
                                  const std::string& where) {
  return judge_each(observed, {"out"}, [&](const std::string& tensor) {
    const Expected& expected = lab.expected(request);
    return compared_with(
        "the reference in " + to_text(request.case_) + where,
        compare_shards(request, observed, tensor, expected.forward.out, expected.bounds.out));
  });
}

bool right_alone(Lab& lab, const std::optional<Case>& c) {
  if (!c) return false;
  const Request request = base_request(*c);
  return out_agrees_with_reference(lab, request, lab.observe(request), "").kind ==
         Verdict::Kind::pass;
}

// What a process keeps from the first of the two is there when the second runs alone, too, so the
// reference has to judge the second. Company is blamed only where the subject is right without it:
// on the first, and on the second's options at other lengths.
Verdict second_is_right_after_first(Lab& lab, const Request& first, const Request& second,
                                    const Observation& of_second) {
  Verdict verdict =
      out_agrees_with_reference(lab, second, of_second,
                                ", after the other's forward; replay that case: where it fails "
                                "alone, that is the fault");
  const auto right_without_company = [&] {
    return right_alone(lab, first.case_) && right_alone(lab, larger_shape(second.case_, lab));
  };
  return verdict.failed() && !right_without_company() ? Verdict::pass() : verdict;
}

// By turns: all differs, or one option alone.
std::optional<Case> companion_of(const Case& c, Lab& lab) {
  std::optional<Case> companion =
      c.seed % 2 == 0 ? other_configuration(c, lab) : one_option_apart(c, lab);
  return companion ? companion : other_configuration(c, lab);
}

Verdict do_not_interfere(const Case& c, Lab& lab) {
  const std::optional<Case> companion = companion_of(c, lab);
  if (!companion) return Verdict::unsupported("the subject supports no other configuration");
  Request interleaved = base_request(c);
  interleaved.company = Company::interleaved;
  interleaved.companion = companion;
  const Request first = base_request(c), second = companion_request(interleaved);
  const Observation& together = lab.observe(interleaved);
  for (const Request& alone : {first, second}) {
    if (const auto ended = ended_early(lab.observe(alone))) return *ended;
  }
  const std::string case_text = "the other: " + to_text(*companion);
  if (auto failed = error_of_second_alone(lab.observe(first), together,
                                          "an interleaved run (" + case_text + ")")) {
    return *failed;
  }
  const Observation of_second = renamed(together, "other_", "");
  const Verdict alone = worse(
      agrees_with_alone(lab, first, together, case_text),
      agrees_with_alone(lab, second, of_second, "the second of them: " + to_text(*companion)));
  return worse(alone, second_is_right_after_first(lab, first, second, of_second));
}

}  // namespace

Property two_configurations_do_not_interfere() {
  Property property;
  property.name = "two_configurations_do_not_interfere";
  property.explains =
      "two calls whose forwards and backwards interleave give what each gives alone";
  property.applies = needs_attention;
  property.check = do_not_interfere;
  return property;
}

}  // namespace attncheck

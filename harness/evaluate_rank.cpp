#include "harness/evaluate_rank.h"

#include <c10/util/Exception.h>

#include "harness/callables/refused_call.h"
#include "harness/evaluate_collective.h"
#include "harness/evaluate_implementation.h"
#include "harness/evaluate_local.h"
#include "harness/evaluate_merge.h"
#include "harness/evaluate_model.h"
#include "harness/on_device.h"
#include "harness/rank_memory.h"
#include "harness/what_was_thrown.h"

namespace attncheck {
namespace {

void evaluate_subject(const Registry& registry, const Request& request, const MeshGroups& groups,
                      RankResult& result, Phase& phase) {
  const Case& c = request.case_;
  const Support support = registry.supports(c);
  if (!support && !request.forced) {
    result.facts["supports"] = support.reason;
    return;
  }
  phase = Phase::forward;
  if (!support && registry.may_refuse_calls(c)) throw RefusedCall(support.reason, false);
  if (const Collective* collective = registry.collective(c.impl)) {
    evaluate_collective(*collective, request, groups, result, phase);
    return;
  }
  if (const Merge* merge = registry.merge(c.impl)) {
    evaluate_merge(*merge, request, result, groups.device);
    return;
  }
  const Backend* backend = registry.backend_of(c);
  TORCH_CHECK(backend != nullptr, "unknown backend '", c.backend, "'");
  if (registry.kind(c.impl) == SubjectKind::local) {
    evaluate_local(*backend, request, result, phase, groups.device);
    return;
  }
  if (const Model* model = registry.model(c.impl)) {
    evaluate_model(*model, *backend, request, groups, result, phase);
    return;
  }
  const Implementation* implementation = registry.implementation(c.impl);
  TORCH_CHECK(implementation != nullptr, "unknown subject '", c.impl, "'");
  evaluate_implementation(*implementation, *backend, request, groups, result, phase);
}

}  // namespace

RankResult evaluate_rank(const Registry& registry, const Request& request,
                         const MeshGroups& groups) {
  RankResult result;
  result.rank = groups.rank;
  Phase phase = Phase::supports;
  try {
    // Never left to chance: a subject that reads it gives the same in every run.
    const PoisonScope poison(request.poison.value_or(kUsualFill));
    evaluate_subject(registry, request, groups, result, phase);
    bring_home(result);
  } catch (const RefusedCall& refused) {
    result.error = RankError{phase, refused.what()};
    result.facts[refused.asked() ? kRefusedFact : kNotAskedFact] = refused.what();
  } catch (...) {
    result.error = RankError{phase, what_was_thrown()};
  }
  if (result.error) bring_home_what_can_be(result);
  if (groups.device.is_cpu()) return result;
  result.facts["device"] = groups.device.str();
  result.peak_bytes.reset();  // of CPU memory, which says nothing here
  return result;
}

std::string answer_request(const Registry& registry, const std::string& request,
                           const MeshGroups& groups) {
  try {
    return to_bytes(evaluate_rank(registry, parse_request(request), groups));
  } catch (const std::invalid_argument& error) {
    RankResult result;
    result.rank = groups.rank;
    result.error = RankError{Phase::supports, error.what()};
    return to_bytes(result);
  }
}

}  // namespace attncheck

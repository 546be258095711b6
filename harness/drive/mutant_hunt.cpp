#include "harness/drive/mutant_hunt.h"

#include <algorithm>

#include "harness/drive/smaller_cases.h"
#include "problem/case_text.h"

namespace attncheck {
namespace {

constexpr int kLargestWorld = 4;

std::vector<Mesh> small_meshes(const Mesh& listed) {
  std::vector<Mesh> meshes;
  for (int world = kLargestWorld; world >= 1; --world) {
    for (const Mesh& mesh : factorisations(world)) meshes.push_back(mesh);
  }
  if (std::find(meshes.begin(), meshes.end(), listed) == meshes.end()) meshes.push_back(listed);
  return meshes;
}

StreamSpec spec_of(const Mutant& mutant) {
  StreamSpec spec;
  const Case& smallest = mutant.smallest;
  spec.impl = "mutant:" + mutant.name;
  spec.backend = smallest.backend;
  spec.transport = smallest.transport;
  spec.dtype = smallest.problem.dtype;
  spec.meshes = small_meshes(smallest.mesh);
  if (std::holds_alternative<Collective>(mutant.subject)) spec.kind = SubjectKind::collective;
  if (std::holds_alternative<Merge>(mutant.subject)) spec.kind = SubjectKind::merge;
  if (std::holds_alternative<Model>(mutant.subject)) spec.kind = SubjectKind::model;
  if (const auto* backend = std::get_if<Backend>(&mutant.subject)) {
    spec.kind = SubjectKind::local;
    spec.lse = backend->contract.lse;
  }
  return spec;
}

const Property* find_property(const PropertyList& properties, const std::string& name) {
  const auto found = std::find_if(properties.begin(), properties.end(),
                                  [&](const Property* p) { return p->name == name; });
  return found == properties.end() ? nullptr : *found;
}

struct Failure {
  Case case_;
  Verdict verdict;
};

std::optional<Failure> draw_until_failure(const Property& property, CaseStream& stream,
                                          LaneLab& lane, const CheckOptions& options,
                                          Hunt& result) {
  while (result.cases < options.cases && Clock::now() <= options.deadline) {
    const std::optional<Case> c = property.about_refusals ? stream.next_refused() : stream.next();
    if (!c) return std::nullopt;
    ++result.cases;
    lane.forget();
    Verdict verdict = judge(property, *c, *lane.lab);
    if (verdict.failed()) return Failure{*c, std::move(verdict)};
    options.progress({result.name, "cases", result.cases, options.cases});
  }
  return std::nullopt;
}

std::optional<Failure> try_listed(const Property& property, LaneLab& lane,
                                  const CheckOptions& options, Hunt& result) {
  lane.forget();
  Verdict verdict = judge(property, result.smallest, *lane.lab);
  result.by_smallest_alone = verdict.failed();
  if (verdict.failed()) return Failure{result.smallest, std::move(verdict)};
  result.why_not = std::string("the property holds on ") + std::to_string(result.cases) +
                   " drawn cases and is '" + to_text(verdict.kind) + "' on the listed one" +
                   (verdict.reason.empty() ? "" : ": " + verdict.reason);
  return std::nullopt;
}

}  // namespace

Hunt hunt(const Mutant& mutant, const PropertyList& properties, LaneLab& lane,
          const CheckOptions& options) {
  Hunt result;
  result.name = mutant.name;
  result.source = mutant.source;
  result.fault = mutant.fault;
  result.property = mutant.property;
  result.smallest = mutant.smallest;
  const Property* property = find_property(properties, mutant.property);
  if (property == nullptr) {
    result.why_not = "there is no property '" + mutant.property + "'";
    return result;
  }
  CaseStream stream(
      spec_of(mutant), [&lane](const Case& c) { return lane.lab->supports(c); }, options.seed);
  std::optional<Failure> failure = draw_until_failure(*property, stream, lane, options, result);
  if (!failure) failure = try_listed(*property, lane, options, result);
  if (!failure) return result;
  const Shrunk shrunk = shrink_failure(*property, failure->case_, failure->verdict, lane, options);
  result.caught = true;
  result.case_ = shrunk.case_;
  result.evidence = shrunk.verdict.evidence;
  result.small_enough = at_least_as_small(shrunk.case_, result.smallest);
  return result;
}

int HuntReport::exit_code() const {
  const bool all =
      std::all_of(hunts.begin(), hunts.end(), [](const Hunt& hunt) { return hunt.caught; });
  return all ? 0 : 1;
}

}  // namespace attncheck

#include "tests/not_faults/real_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <ATen/TensorOperators.h>

#include "harness/evaluate_rank.h"
#include "harness/sim_transport.h"
#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/built_in.h"
#include "impl/ring/ring_attention.h"
#include "impl/unified/unified_attention.h"
#include "problem/case_text.h"
#include "properties/checks/judging.h"

namespace attncheck::testing {
namespace {

Registry with_backends(std::vector<Backend> more) {
  Registry registry;
  registry.implementations = {ring_implementation(), unified_implementation(),
                              allgather_kv_implementation()};
  registry.backends = built_in_backends();
  std::ranges::move(more, std::back_inserter(registry.backends));
  return registry;
}

std::shared_ptr<Transport> sim_of(const Registry& registry) {
  return std::make_shared<SimTransport>(
      [&registry](const std::string& request, const MeshGroups& groups) {
        return answer_request(registry, request, groups);
      });
}

}  // namespace

RealRuns::RealRuns(std::vector<Backend> more)
    : registry_(with_backends(std::move(more))), lab_(registry_, {{"sim", sim_of(registry_)}}) {}

Verdict RealRuns::judge(const std::string& property, const std::string& case_text) {
  return attncheck::judge(property_named(property), parse_case(case_text), lab_);
}

const Observation& ChangedRuns::observe(const Request& request) {
  changed_.push_back(std::make_unique<Observation>(WatchedLab::observe(request)));
  Observation& copy = *changed_.back();
  for (RankResult& rank : copy.ranks) {
    for (auto& [name, tensor] : rank.tensors) tensor = tensor.to(at::kDouble).clone();
  }
  change_(request, copy);
  return copy;
}

Verdict judge_changed(const std::string& property, const Case& c, Lab& lab,
                      ChangedRuns::Change change) {
  ChangedRuns changed(lab, c, std::move(change));
  return attncheck::judge(property_named(property), c, changed);
}

const Property& property_named(const std::string& name) {
  for (const Property& property : all_properties()) {
    if (property.name == name) return property;
  }
  TORCH_CHECK(false, "there is no property ", name);
}

at::Tensor Compared::error() const {
  return (got - want).abs();
}

Compared compared(const Case& c, const std::string& tensor, Lab& lab) {
  const Request request = plain_request(c);
  const Expected& expected = lab.expected(request);
  return {assemble(request, lab.observe(request), tensor), value_of(expected, tensor),
          bound_of(expected, tensor)};
}

}  // namespace attncheck::testing

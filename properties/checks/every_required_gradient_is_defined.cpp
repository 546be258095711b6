#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"

namespace attncheck {
namespace {

Verdict is_missing(const std::string& tensor, int rank) {
  Evidence evidence;
  evidence.tensor = tensor;
  evidence.rank = evidence.shard = rank;
  evidence.expected = "a gradient";
  evidence.got = "undefined";
  evidence.message =
      fmt::format("{} of rank {} is undefined, though {} requires grad", tensor, rank, tensor[1]);
  return Verdict::fail(std::move(evidence));
}

Verdict gradients_are_defined(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  if (const auto ended = ended_early(observation)) return *ended;
  for (const RankResult& rank : observation.ranks) {
    for (const std::string& tensor : gradient_tensors(c)) {
      if (rank.tensors.count(tensor) == 0) return is_missing(tensor, rank.rank);
    }
  }
  return Verdict::pass();
}

}  // namespace

Property every_required_gradient_is_defined() {
  Property property;
  property.name = "every_required_gradient_is_defined";
  property.explains = "each of q, k and v that requires grad gets a gradient on every rank";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_gradient(c)}); };
  property.check = gradients_are_defined;
  return property;
}

}  // namespace attncheck

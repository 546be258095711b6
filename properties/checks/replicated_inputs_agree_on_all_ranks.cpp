#include <cstring>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/judging.h"
#include "properties/checks/models.h"

namespace attncheck {
namespace {

constexpr const char* kReplicated = "replicated ";

// The place of the first element with other bits; -1 where all are the same.
int64_t first_other(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  const size_t width = x.element_size();
  const auto *first = static_cast<const char*>(x.const_data_ptr()),
             *second = static_cast<const char*>(y.const_data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (std::memcmp(first + i * width, second + i * width, width) != 0) return i;
  }
  return -1;
}

std::string element_text(const at::Tensor& x, int64_t place) {
  return fmt::format("{:.17g}", x.contiguous().flatten()[place].item<double>());
}

// Compared with what rank 0 has.
Verdict same_bits(const std::string& name, const at::Tensor& of_first, const RankResult& rank) {
  const auto found = rank.tensors.find(name);
  const std::string there = index_text(of_first.sizes());
  if (found == rank.tensors.end()) return wrong_form(name, rank.rank, there, "missing");
  const at::Tensor& here = found->second;
  if (here.sizes() != of_first.sizes() || here.scalar_type() != of_first.scalar_type()) {
    return wrong_form(name, rank.rank, there, index_text(here.sizes()));
  }
  const int64_t place = first_other(of_first, here);
  if (place < 0) return Verdict::pass();
  Evidence evidence;
  evidence.tensor = name;
  evidence.rank = rank.rank;
  evidence.expected = element_text(of_first, place) + ", as on rank 0";
  evidence.got = element_text(here, place);
  evidence.message = fmt::format("{} of rank {} is not what rank 0 has", name, rank.rank);
  return Verdict::fail(std::move(evidence));
}

Verdict agree(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(base_request(c));
  if (const auto ended = ended_early(observation)) return *ended;
  int64_t compared = 0;
  for (const auto& [name, of_first] : observation.ranks.front().tensors) {
    if (!name.starts_with(kReplicated)) continue;
    ++compared;
    for (const RankResult& rank : observation.ranks) {
      Verdict verdict = same_bits(name, of_first, rank);
      if (verdict.failed()) return verdict;
    }
  }
  return compared > 0 ? Verdict::pass() : Verdict::not_run("the model reports nothing replicated");
}

}  // namespace

Property replicated_inputs_agree_on_all_ranks() {
  Property property;
  property.name = "replicated_inputs_agree_on_all_ranks";
  property.explains = "what no rank has a shard of reaches the model with the same bits everywhere";
  property.subjects = {SubjectKind::model};
  property.applies = needs_world;
  property.check = agree;
  return property;
}

}  // namespace attncheck

#include <cmath>

#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/contracts.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/sight.h"
#include "properties/token_positions.h"
#include "reference/visibility.h"

namespace attncheck {
namespace {

Support needs_keys_everywhere(const Case& c) {
  const bool enough = c.problem.kv_len >= c.mesh.world();
  return enough ? Support::yes() : Support::no("some ranks have no key");
}

double constant_score(const Problem& p) {
  return effective_scale(p) * static_cast<double>(p.head_dim);
}

// scale * head_dim + ln n, (B, Sq, H).
at::Tensor closed_form(const Problem& p, const at::Tensor& visible) {
  return visible.to(at::kDouble).log().add(constant_score(p));
}

// How many keys of each ring shard a query sees by their places.
std::vector<int64_t> keys_by_block(const Case& c, int64_t query) {
  const Sight sight(c);
  std::vector<int64_t> keys(c.mesh.ring, 0);
  for (int rank = 0; rank < c.mesh.world(); ++rank)
    for (int64_t key : kv_positions(c, rank))
      if (sight.reaches(query, key)) ++keys[c.mesh.ring_index(rank)];
  return keys;
}

// The merge of blocks whose own logs were to base 2.
double merged_in_base_two(const Case& c, int64_t query) {
  double sum = 0;
  for (int64_t n : keys_by_block(c, query)) {
    if (n > 0) sum += std::exp((constant_score(c.problem) + std::log(n)) / M_LN2);
  }
  return std::log(sum);
}

std::string mistake(const Case& c, int64_t query, double got, double expected) {
  const auto near = [got](double guess) {
    return std::abs(got - guess) <= 1e-3 * std::max(1.0, std::abs(guess));
  };
  if (near(expected / M_LN2)) return ", which is the log to base 2";
  if (near(expected * M_LN2)) return ", which is the log times ln 2: its base was converted twice";
  if (near(merged_in_base_two(c, query))) {
    return ", which is what blocks with logs to base 2 give when they are merged as natural ones";
  }
  const double times = std::exp(got - expected);
  if (times > 1.5 && std::abs(times - std::round(times)) < 1e-3 * times) {
    return fmt::format(", as if every key counted {} times", std::lround(times));
  }
  return "";
}

std::string explained(const Request& request, const Evidence& evidence, double closed) {
  const std::vector<int64_t> held = q_positions(request.case_, evidence.rank);
  const int64_t query = held[evidence.index[1]];
  return fmt::format("lse of query {} on rank {} is {}, expected scale * d + ln n = {}{}", query,
                     evidence.rank, evidence.got, evidence.expected,
                     mistake(request.case_, query, std::stod(evidence.got), closed));
}

Verdict lse_is_natural(const Case& c, Lab& lab) {
  const Request request = forward_request(c, ValueEdit::none, ScoreEdit::constant);
  const Observation& observation = lab.observe(request);
  if (const auto nothing = nothing_to_judge(observation, "lse")) return *nothing;
  const Expected& expected = lab.expected(request);
  const at::Tensor closed = closed_form(c.problem, reference::visible_counts(expected.inputs));
  Verdict verdict = compare_shards(request, observation, "lse", closed, expected.bounds.lse);
  if (verdict.failed() && !verdict.evidence->index.empty()) {
    verdict.evidence->message =
        explained(request, *verdict.evidence, std::stod(verdict.evidence->expected));
  }
  return verdict;
}

}  // namespace

Property lse_is_natural_log() {
  Property property;
  property.name = "lse_is_natural_log";
  property.explains = "with equal scores, lse is the score plus the natural log of the key count";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of(
        {needs_attention(c), needs_lse(c), needs_no_additive_mask(c), needs_keys_everywhere(c)});
  };
  property.check = lse_is_natural;
  return property;
}

}  // namespace attncheck

#include <cmath>
#include <limits>

#include "properties/checks/applies.h"
#include "properties/checks/contracts.h"
#include "properties/checks/exact.h"
#include "properties/checks/judging.h"
#include "properties/token_positions.h"
#include "reference/visibility.h"

namespace attncheck {
namespace {

// Which rows of each rank see no key: at place (b, s, h) of the rank.
class EmptyRows {
 public:
  EmptyRows(const Case& c, const at::Tensor& visible) : case_(c), visible_(visible.contiguous()) {
    for (int rank = 0; rank < c.mesh.world(); ++rank) held_.push_back(q_positions(c, rank));
  }

  bool any() const { return visible_.eq(0).any().item<bool>(); }

  // `row` counts (b, s, h) row by row within the rank's shard.
  bool at(int rank, int64_t row) const {
    const Problem& p = case_.problem;
    const auto rows = static_cast<int64_t>(held_[rank].size());
    const int64_t h = row % p.heads, s = row / p.heads % rows, b = row / p.heads / rows;
    const int64_t place = (b * p.q_len + held_[rank][s]) * p.heads + h;
    return visible_.const_data_ptr<int64_t>()[place] == 0;
  }

 private:
  const Case& case_;
  at::Tensor visible_;  // (B, Sq, H) int64
  std::vector<std::vector<int64_t>> held_;
};

int64_t width_of(const Problem& p, const std::string& tensor) {
  return tensor == "out" ? p.v_head_dim : tensor == "dq" ? p.head_dim : 1;
}

Verdict rows_are_right(const Case& c, const Observation& observation, const EmptyRows& empty,
                       const std::string& tensor) {
  const int64_t width = width_of(c.problem, tensor);
  for (const RankResult& rank : observation.ranks) {
    const auto rows = static_cast<int64_t>(q_positions(c, rank.rank).size());
    const auto found = rank.tensors.find(tensor);
    const int64_t elements = c.problem.batch * rows * c.problem.heads * width;
    if (found == rank.tensors.end() || found->second.numel() != elements) {
      return Verdict::not_run(tensor + " is not there in the right shape on every rank");
    }
  }
  const double of_empty = tensor == "lse" ? -std::numeric_limits<double>::infinity() : 0;
  return every_element(observation, tensor, "is wrong for a query that sees no key or not finite",
                       [&](int rank, int64_t place, double value) -> std::optional<std::string> {
                         if (empty.at(rank, place / width)) {
                           if (value == of_empty) return std::nullopt;
                           return tensor == "lse" ? "-inf" : "0";
                         }
                         if (std::isfinite(value)) return std::nullopt;
                         return "a finite value";
                       });
}

Verdict keys_are_finite(const Observation& observation, const std::string& tensor) {
  return every_element(observation, tensor, "is not finite in a run with empty rows",
                       [](int, int64_t, double value) -> std::optional<std::string> {
                         if (std::isfinite(value)) return std::nullopt;
                         return "a finite value";
                       });
}

Verdict empty_rows_are_right(const Case& c, Lab& lab) {
  const Request request = base_request(c);
  const Observation& observation = lab.observe(request);
  const EmptyRows empty(c, reference::visible_counts(lab.expected(request).inputs));
  if (!empty.any()) return Verdict::unsupported("every query sees a key");
  return judge_each(observation, all_tensors(c), [&](const std::string& tensor) {
    const bool of_keys = tensor == "dk" || tensor == "dv";
    return of_keys ? keys_are_finite(observation, tensor)
                   : rows_are_right(c, observation, empty, tensor);
  });
}

}  // namespace

Property empty_rows_are_zero_and_minus_infinity() {
  Property property;
  property.name = "empty_rows_are_zero_and_minus_infinity";
  property.explains = "a query that sees no key has out 0, lse -inf and no gradient";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) {
    return all_of({needs_attention(c), needs_empty_rows(c)});
  };
  property.check = empty_rows_are_right;
  return property;
}

}  // namespace attncheck

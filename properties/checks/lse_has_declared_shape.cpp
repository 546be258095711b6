#include <limits>

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include "impl/contract/raw_form.h"
#include "properties/checks/applies.h"
#include "properties/checks/contracts.h"
#include "properties/checks/judging.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

Verdict has_shape(const RankResult& rank, const std::string& tensor, at::IntArrayRef sizes) {
  const auto found = rank.tensors.find(tensor);
  const bool there = found != rank.tensors.end();
  if (there && found->second.sizes() == sizes) return Verdict::pass();
  return wrong_form(tensor, rank.rank, index_text(sizes),
                    there ? index_text(found->second.sizes()) : "missing");
}

// Behind the last query the rows of a padded LSE are +inf.
Verdict is_padded(const RankResult& rank, const std::string& tensor, int64_t rows) {
  const at::Tensor& lse = rank.tensors.at(tensor);
  const at::Tensor behind = lse.narrow(2, rows, lse.size(2) - rows);
  if (behind.eq(std::numeric_limits<double>::infinity()).all().item<bool>()) return Verdict::pass();
  return wrong_form(tensor, rank.rank, "+inf behind row " + std::to_string(rows - 1),
                    "something else there");
}

Verdict of_every_rank(const Case& c, Lab& lab) {
  const Observation& observation = lab.observe(plain_request(c));
  return judge_each(observation, {"lse"}, [&](const std::string& tensor) {
    for (const RankResult& rank : observation.ranks) {
      const auto rows = static_cast<int64_t>(q_positions(c, rank.rank).size());
      Verdict verdict = has_shape(rank, tensor, {c.problem.batch, rows, c.problem.heads});
      if (verdict.failed()) return verdict;
    }
    return Verdict::pass();
  });
}

Verdict of_backend_alone(const Case& c, Lab& lab) {
  const Case local = local_case(c, lab);
  const BackendContract* contract = lab.contract(local);
  if (contract == nullptr || !contract->lse) return Verdict::unsupported("no raw log-sum-exp");
  if (!lab.supports(local)) return Verdict::unsupported("the backend alone does not support it");
  const Problem& p = local.problem;
  const Observation& observation = lab.observe(plain_request(local));
  return judge_each(observation, {"raw_lse"}, [&](const std::string& tensor) {
    const RankResult& rank = observation.ranks.front();
    Verdict shape = has_shape(rank, tensor, raw_lse_sizes(*contract, p.batch, p.q_len, p.heads));
    if (shape.failed() || contract->lse_shape != LseShape::BHS32) return shape;
    return is_padded(rank, tensor, p.q_len);
  });
}

}  // namespace

Property lse_has_declared_shape() {
  Property property;
  property.name = "lse_has_declared_shape";
  property.explains =
      "lse is (B, S, H) of the rank's shard; a kernel's own is as its contract says";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_lse(c)}); };
  property.check = [](const Case& c, Lab& lab) {
    return worse(of_every_rank(c, lab), of_backend_alone(c, lab));
  };
  return property;
}

}  // namespace attncheck

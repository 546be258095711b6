#include <fmt/format.h>

#include "impl/contract/dtypes.h"
#include "properties/checks/applies.h"
#include "properties/checks/coarse_grid.h"
#include "properties/checks/gradient_plumbing.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

std::vector<int64_t> input_sizes(const Case& c, const std::string& gradient, int rank) {
  const Problem& p = c.problem;
  const bool of_query = axis_of(gradient) == Axis::query;
  const auto rows =
      static_cast<int64_t>((of_query ? q_positions(c, rank) : kv_positions(c, rank)).size());
  return {p.batch, rows, of_query ? p.heads : p.kv_heads,
          gradient == "dv" ? p.v_head_dim : p.head_dim};
}

std::string form_text(at::ScalarType dtype, at::IntArrayRef sizes) {
  return fmt::format("{} {}", c10::toString(dtype), index_text(sizes));
}

// `stored` is the tensor's name in the observation, `gradient` that of the gradient it is.
Verdict forms_match(const Request& request, const Observation& observation,
                    const std::string& stored, const std::string& gradient) {
  const at::ScalarType dtype = scalar_type(request.case_.problem.dtype);
  Verdict verdict = Verdict::not_run(stored + " is missing on every rank");
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(stored);
    if (found == rank.tensors.end()) continue;
    const std::vector<int64_t> sizes = input_sizes(request.case_, gradient, rank.rank);
    const at::Tensor& got = found->second;
    if (got.scalar_type() != dtype || got.sizes() != at::IntArrayRef(sizes)) {
      return wrong_form(stored, rank.rank, form_text(dtype, sizes),
                        form_text(got.scalar_type(), got.sizes()));
    }
    verdict = Verdict::pass();
  }
  return verdict;
}

at::Tensor shard_of(const at::Tensor& whole, const Case& c, const std::string& tensor, int rank) {
  const bool of_query = axis_of(tensor) == Axis::query;
  const std::vector<int64_t> held = of_query ? q_positions(c, rank) : kv_positions(c, rank);
  std::vector<int64_t> sizes = whole.sizes().vec();
  sizes[1] = static_cast<int64_t>(held.size());
  at::Tensor shard = whole.new_empty(sizes);
  for (size_t i = 0; i < held.size(); ++i) {
    shard.select(1, static_cast<int64_t>(i)).copy_(whole.select(1, held[i]));
  }
  return shard;
}

Verdict off_its_grid(const std::string& tensor, int rank, at::ScalarType dtype,
                     const std::string& grid) {
  Verdict verdict = wrong_form(tensor, rank, c10::toString(dtype), "on the grid of " + grid);
  verdict.evidence->message = fmt::format(
      "{} of {} is {}, but all its values are those of {}", tensor,
      rank < 0 ? "all ranks" : fmt::format("rank {}", rank), c10::toString(dtype), grid);
  return verdict;
}

// Rank by rank, and all ranks together where a shard is too small to tell.
Verdict uses_its_grid(const Request& request, const Observation& observation,
                      const Expected& expected, const std::string& tensor) {
  const at::ScalarType dtype = scalar_type(request.case_.problem.dtype);
  const at::Tensor &value = value_of(expected, tensor), &bound = bound_of(expected, tensor);
  for (const RankResult& rank : observation.ranks) {
    const auto found = rank.tensors.find(tensor);
    if (found == rank.tensors.end()) continue;
    const auto own = [&](const at::Tensor& whole) {
      return shard_of(whole, request.case_, tensor, rank.rank);
    };
    const std::string grid = coarser_grid(found->second, own(value), own(bound));
    if (!grid.empty()) return off_its_grid(tensor, rank.rank, dtype, grid);
  }
  const at::Tensor whole = assemble(request, observation, tensor);
  const std::string grid = whole.defined() ? coarser_grid(whole.to(dtype), value, bound) : "";
  return grid.empty() ? Verdict::pass() : off_its_grid(tensor, -1, dtype, grid);
}

Verdict of_implementation(const Case& c, Lab& lab) {
  const Request request = plain_request(c);
  const Observation& observation = lab.observe(request);
  return judge_each(observation, gradient_tensors(c), [&](const std::string& tensor) {
    Verdict verdict = forms_match(request, observation, tensor, tensor);
    if (verdict.kind != Verdict::Kind::pass) return verdict;
    return uses_its_grid(request, observation, lab.expected(request), tensor);
  });
}

Verdict of_direct_call(const Case& c, Lab& lab) {
  const Case local = local_case(c, lab);
  if (!lab.supports(local)) return Verdict::unsupported("the backend alone does not support it");
  const Request request = plain_request(local);
  const Observation& observation = lab.observe(request);
  const std::vector<std::string> direct{"direct_dq", "direct_dk", "direct_dv"};
  return judge_each(observation, direct, [&](const std::string& tensor) {
    return forms_match(request, observation, tensor, tensor.substr(tensor.find('_') + 1));
  });
}

}  // namespace

Property gradient_dtype_and_shape_match_input() {
  Property property;
  property.name = "gradient_dtype_and_shape_match_input";
  property.explains =
      "gradients have the dtype and shape of their inputs, and use that dtype's grid";
  property.subjects = attention_subjects();
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_gradient(c)}); };
  property.check = [](const Case& c, Lab& lab) {
    return worse(of_implementation(c, lab), of_direct_call(c, lab));
  };
  return property;
}

}  // namespace attncheck

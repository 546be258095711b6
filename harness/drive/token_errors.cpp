#include "harness/drive/token_errors.h"

#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "properties/token_positions.h"

namespace attncheck {
namespace {

struct Compared {
  const char* name;
  bool queries;  // its tokens are queries, not keys
  at::Tensor value, bound;
};

std::vector<Compared> compared(const Expected& expected) {
  return {{"out", true, expected.forward.out, expected.bounds.out},
          {"lse", true, expected.forward.lse, expected.bounds.lse},
          {"dq", true, expected.gradients.dq, expected.bounds.dq},
          {"dk", false, expected.gradients.dk, expected.bounds.dk},
          {"dv", false, expected.gradients.dv, expected.bounds.dv}};
}

std::vector<double> largest_by_token(const at::Tensor& tensor) {
  const at::Tensor by_token = tensor.transpose(0, 1).flatten(1).amax({1}).contiguous();
  return {by_token.const_data_ptr<double>(), by_token.const_data_ptr<double>() + by_token.numel()};
}

// A difference of nothing is 0 also between infinities.
at::Tensor difference(const at::Tensor& got, const at::Tensor& expected) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const at::Tensor off = at::nan_to_num((got - expected).abs(), kFar, kFar, kFar);
  return at::where(got.eq(expected), at::zeros_like(off), off);
}

void add_rank(TokenErrors& errors, const Compared& of, const at::Tensor& got, int rank,
              const std::vector<int64_t>& positions) {
  if (positions.empty()) return;
  const at::Tensor index = at::tensor(positions, at::kLong);
  const at::Tensor off = difference(got, of.value.index_select(1, index));
  const std::vector<double> error = largest_by_token(off);
  const std::vector<double> share = largest_by_token(off / of.bound.index_select(1, index));
  for (size_t i = 0; i < positions.size(); ++i) {
    TokenError& token = errors.tokens.at(positions[i]);
    if (token.owner < 0 || share[i] > token.share) token = {error[i], share[i], rank};
  }
}

}  // namespace

std::vector<TokenErrors> token_errors(const Case& c, Lab& lab) {
  const Request request = base_request(c);
  const Observation& observation = lab.observe(request);
  std::vector<TokenErrors> all;
  for (const Compared& of : compared(lab.expected(request))) {
    if (!of.value.defined() || !of.bound.defined() || of.value.numel() == 0) continue;
    TokenErrors errors{of.name, std::vector<TokenError>(of.value.size(1))};
    bool complete = true;
    for (int rank = 0; rank < c.mesh.world() && complete; ++rank) {
      const auto positions = of.queries ? q_positions(c, rank) : kv_positions(c, rank);
      const auto& tensors = observation.ranks.at(rank).tensors;
      const auto found = tensors.find(of.name);
      std::vector<int64_t> shape = of.value.sizes().vec();
      shape[1] = static_cast<int64_t>(positions.size());
      complete = found != tensors.end() && found->second.sizes() == at::IntArrayRef(shape);
      if (complete) add_rank(errors, of, found->second.to(at::kDouble), rank, positions);
    }
    if (complete) all.push_back(std::move(errors));
  }
  return all;
}

}  // namespace attncheck

#include "mutants/house_completion.h"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include "impl/contract/dtypes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

constexpr int kRankThatGivesUp = 1;

// It gives up after the last exchange, so that no other rank waits for it.
AttentionPass gives_up_on_one_rank(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = ring_parent().pass(options, groups);
  pass.backward = [right = pass.backward, rank = groups.rank](const AttentionSaved& saved,
                                                              const at::Tensor& grad_out,
                                                              const at::Tensor& grad_lse) {
    const BackendGrads grads = right(saved, grad_out, grad_lse);
    TORCH_CHECK(rank != kRankThatGivesUp, "rank ", rank, " gives up");
    return grads;
  };
  return pass;
}

// The result that a rank returns instead of an error: zeros, whatever is asked.
AttentionPass zero_pass() {
  AttentionPass pass;
  pass.forward = [](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const auto lse_options = q.options().dtype(lse_scalar_type(q.scalar_type()));
    AttentionForward result;
    result.out = at::zeros({q.size(0), q.size(1), q.size(2), v.size(3)}, q.options());
    result.lse = at::zeros({q.size(0), q.size(1), q.size(2)}, lse_options);
    result.saved.tensors = {q, k, v};
    return result;
  };
  pass.backward = [](const AttentionSaved& saved, const at::Tensor&, const at::Tensor&) {
    const std::vector<at::Tensor>& qkv = saved.tensors;
    return BackendGrads{at::zeros_like(qkv[0]), at::zeros_like(qkv[1]), at::zeros_like(qkv[2])};
  };
  return pass;
}

// Rank 0 lets the error through.
bool hides_a_refusal(const Limits& limits, const at::Tensor& q, const at::Tensor& k,
                     const at::Tensor& v, const AttentionOptions& options,
                     const MeshGroups& groups) {
  try {
    check_call(limits, q, k, v, options, groups);
    return false;
  } catch (const c10::Error&) {
    if (groups.rank == 0) throw;
    return true;
  }
}

Implementation refuses_on_rank_0_alone() {
  Implementation implementation = implementation_of("refuses_on_rank_0_alone", ring_parent());
  implementation.attention = [right = implementation.attention, limits = ring_parent().limits](
                                 const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const AttentionOptions& options, const MeshGroups& groups) {
    if (!hides_a_refusal(limits, q, k, v, options, groups)) return right(q, k, v, options, groups);
    return differentiable_attention(q, k, v, zero_pass());
  };
  return implementation;
}

}  // namespace

std::vector<Mutant> house_completion_mutants() {
  return {
      make_mutant(
          {.name = "house_throws_on_one_rank",
           .source = "house",
           .fault = "rank 1 throws in the backward of a supported case",
           .property = "supported_case_runs_to_the_end",
           .smallest = "mesh=2x1 q=2 d=1"},
          implementation_of("gives_up_on_one_rank", {ring_parent().limits, gives_up_on_one_rank})),
      make_mutant({.name = "house_refuses_on_rank_0_alone",
                   .source = "house",
                   .fault = "rank 0 alone refuses; the others return zeros",
                   .property = "refusal_is_an_error_on_every_rank",
                   .smallest = "mesh=1x2 q=1 h=2 d=1"},
                  refuses_on_rank_0_alone()),
  };
}

}  // namespace attncheck

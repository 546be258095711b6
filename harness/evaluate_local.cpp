#include "harness/evaluate_local.h"

#include <ATen/core/grad_mode.h>

#include "impl/backends/attend.h"
#include "impl/backends/normalise_lse.h"
#include "properties/inputs.h"

namespace attncheck {
namespace {

BackendInputs whole_block(const Problem& problem, const InputTensors& inputs) {
  BackendInputs block;
  block.q = inputs.q;
  block.k = inputs.k;
  block.v = inputs.v;
  block.scale = effective_scale(problem);
  block.diagonal = causal_diagonal(problem);
  return block;
}

}  // namespace

Support local_limits(const Case& c) {
  if (c.mesh.world() != 1) return Support::no("impl=local checks a backend on one rank: mesh=1x1");
  if (c.dropout > 0) return Support::no("dropout is not supported: use dropout=0");
  if (c.problem.mask != Mask::none) return Support::no("masks are not supported: use mask=none");
  return Support::yes();
}

void evaluate_local(const Backend& backend, const Request& request, RankResult& result,
                    Phase& phase) {
  const at::NoGradGuard no_grad;
  const Support limits = local_limits(request.case_);
  TORCH_CHECK(limits.ok, limits.reason);
  const InputTensors inputs = global_inputs(request);
  const BackendInputs block = whole_block(request.case_.problem, inputs);
  result.tensors["raw_lse"] = backend.forward(block).lse;
  const BlockAttention attention = attend(backend, block);
  result.tensors["out"] = attention.out;
  result.tensors["lse"] = attention.lse;
  if (!request.backward || !inputs.dout.defined()) return;
  phase = Phase::backward;
  const BackendGrads grads = attend_backward(
      backend, {block, inputs.dout, inputs.dlse, attention.out, attention.lse, attention.aux});
  const GradSet& wanted = request.case_.grad;
  if (wanted.q) result.tensors["dq"] = result.tensors["direct_dq"] = grads.dq;
  if (wanted.k) result.tensors["dk"] = result.tensors["direct_dk"] = grads.dk;
  if (wanted.v) result.tensors["dv"] = result.tensors["direct_dv"] = grads.dv;
}

}  // namespace attncheck

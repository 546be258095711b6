#include "harness/evaluate_local.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/stack.h>

#include "harness/evaluate_blocks.h"
#include "harness/input_copies.h"
#include "harness/on_device.h"
#include "harness/rank_memory.h"
#include "impl/backends/attend.h"
#include "properties/inputs.h"
#include "properties/kernel_return.h"
#include "properties/key_blocks.h"
#include "properties/masks.h"

namespace attncheck {
namespace {

BackendInputs whole_block(const Problem& problem, const InputTensors& inputs) {
  BackendInputs block;
  block.q = inputs.q;
  block.k = inputs.k;
  block.v = inputs.v;
  block.scale = effective_scale(problem);
  block.diagonal = causal_diagonal(problem);
  block.mask = of_four_axes(inputs.mask);
  return block;
}

// What the kernel itself returns, in its own form: an operator's values, or what stands for them.
void add_kernel_return(const Backend& backend, const BackendInputs& block, RankResult& result) {
  BackendForward raw = backend.forward(block);
  if (backend.contract.lse) result.tensors["raw_lse"] = raw.lse;
  if (raw.returned.empty() && backend.contract.op.empty()) {
    const bool by_head = backend.contract.layout == KernelLayout::BHSD;
    raw.returned.emplace_back(by_head ? raw.out.transpose(1, 2) : raw.out);
    if (backend.contract.lse) raw.returned.emplace_back(raw.lse);
  }
  result.facts["kernel_return"] = to_text(described(raw.returned));
  result.facts["kernel_aux"] = std::to_string(raw.aux.size());
}

// As a view of more, where the case's tensors are views: a kernel must not take it for packed.
at::Tensor lse_for_backward(const Request& request, const at::Tensor& lse) {
  const bool view = request.case_.problem.view != View::none && !request.contiguous;
  return view && lse.defined() ? at::stack({lse, lse, lse}, -1).select(-1, 1) : lse;
}

}  // namespace

Support supports_local(const Case& c, const Backend& backend) {
  if (c.mesh.world() != 1) return Support::no("impl=local checks a backend on one rank: mesh=1x1");
  if (c.dropout > 0) return Support::no("dropout is not supported: use dropout=0");
  if (c.problem.window || !c.problem.documents.empty()) {
    return Support::no("a kernel takes no window= and no documents=: use mask=bool");
  }
  if (c.problem.joint.tokens > 0) {
    return Support::no("a kernel has no ranks that could hold joint tokens: leave joint= out");
  }
  if (c.problem.mask != Mask::none && !backend.contract.masks) {
    return Support::no(backend.name + " takes no mask: use mask=none");
  }
  if (c.return_lse && !backend.contract.lse) {
    return Support::no(backend.name + " returns no log-sum-exp: use return_lse=0");
  }
  return backend.supports(c.problem);
}

void evaluate_local(const Backend& backend, const Request& request, RankResult& result,
                    Phase& phase, c10::Device device) {
  const at::NoGradGuard no_grad;
  const Support support = supports_local(request.case_, backend);
  TORCH_CHECK(support.ok, support.reason);
  const InputTensors inputs = on_device(global_inputs(request), device);
  InputCopies copies(request, inputs, result);
  const BackendInputs block = whole_block(request.case_.problem, inputs);
  const MemoryMeter meter(request.watch);
  KeyBlocks blocks(backend, block, key_block_lengths(request));
  const BlockAttention attention = blocks.forward();
  result.peak_bytes = meter.peak_bytes();
  result.tensors["out"] = attention.out;
  if (backend.contract.lse) result.tensors["lse"] = attention.lse;
  if (request.key_blocks == 0) add_kernel_return(backend, block, result);
  copies.take("after_forward");
  if (!request.backward || !inputs.dout.defined()) return;
  phase = Phase::backward;
  const BackendGrads grads = blocks.backward(inputs.dout, inputs.dlse, attention.out,
                                             lse_for_backward(request, attention.lse));
  result.peak_bytes = meter.peak_bytes();
  copies.take("after_backward");
  const GradSet& wanted = request.case_.grad;
  if (wanted.q) result.tensors["dq"] = result.tensors["direct_dq"] = grads.dq;
  if (wanted.k) result.tensors["dk"] = result.tensors["direct_dk"] = grads.dk;
  if (wanted.v) result.tensors["dv"] = result.tensors["direct_dv"] = grads.dv;
}

}  // namespace attncheck

#include "impl/allgather_kv/allgather_kv_attention.h"

#include <utility>

#include "impl/allgather_kv/gathered_keys.h"
#include "impl/backends/attend.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/block_masks.h"
#include "impl/merges/span_sums.h"
#include "impl/support/limits.h"

namespace attncheck {
namespace {

constexpr Limits kAllgatherKvLimits{.ring = true, .ulysses = false, .gathers_keys = true};

BackendInputs gathered_block(const at::Tensor& q, const GatheredKeys& keys, const GatherCall& call,
                             const Block& block) {
  return {tokens_of(q, block.queries),
          tokens_of(keys.k, block.keys),
          tokens_of(keys.v, block.keys),
          block.mask.defined() ? block.mask.to(q.device()) : block.mask,
          call.scale,
          block.diagonal};
}

AttentionForward gathered_forward(const GatherCall& call, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v) {
  const GatheredKeys keys = gather_keys(k, v, call);
  MergedParts merged(call.parts, accumulation_type(q.scalar_type(), call.convert_to_fp32));
  std::vector<std::vector<c10::IValue>> aux;
  for (const Block& block : call.blocks) {
    BlockAttention part = attend(*call.backend, gathered_block(q, keys, call, block));
    merged.add(block.queries, part.out, part.lse);
    aux.push_back(std::move(part.aux));
  }
  const Partial whole = merged.whole(q, v.size(3));
  const at::Tensor out = cast(whole.out, q.scalar_type());
  return {out, whole.lse, {{q, k, v, out, whole.lse}, std::move(aux)}};
}

// Block `index` of the call, with the rows of what was saved that are its own.
BackendBackward gathered_gradient_block(const GatherCall& call, const AttentionSaved& saved,
                                        const GatheredKeys& keys, const at::Tensor& grad_out,
                                        const at::Tensor& grad_lse, size_t index) {
  const Block& block = call.blocks[index];
  const auto& t = saved.tensors;
  const auto rows = [&](const at::Tensor& x) {
    return x.defined() ? tokens_of(x, block.queries) : x;
  };
  return {gathered_block(t[0], keys, call, block),
          rows(grad_out),
          rows(grad_lse),
          rows(t[3]),
          rows(t[4]),
          saved.aux.at(index)};
}

BackendGrads gathered_backward(const GatherCall& call, const AttentionSaved& saved,
                               const at::Tensor& grad_out, const at::Tensor& grad_lse) {
  const at::Tensor& q = saved.tensors[0];
  const auto input = q.scalar_type(), type = accumulation_type(input, call.convert_to_fp32);
  GatheredKeys keys = gather_keys(saved.tensors[1], saved.tensors[2], call);
  SpanSum dq(q, type), dk(keys.k, type), dv(keys.v, type);
  for (size_t i = 0; i < call.blocks.size(); ++i) {
    const BackendGrads grads = attend_backward(
        *call.backend, gathered_gradient_block(call, saved, keys, grad_out, grad_lse, i));
    dq.add(call.blocks[i].queries, grads.dq);
    dk.add(call.blocks[i].keys, grads.dk);
    dv.add(call.blocks[i].keys, grads.dv);
  }
  const at::Tensor own_dk = summed_home(dk.sum(), call), own_dv = summed_home(dv.sum(), call);
  return {cast(dq.sum(), input), cast(own_dk, input), cast(own_dv, input)};
}

Attention allgather_kv_attention(at::Tensor q, at::Tensor k, at::Tensor v,
                                 const AttentionOptions& options, const MeshGroups& groups) {
  check_call(kAllgatherKvLimits, q, k, v, options, groups);
  const GatherCall call = gather_call(with_checked_mask(options, q), groups);
  Attention result = differentiable_attention(q, k, v, allgather_kv_pass(call));
  if (!options.return_lse) result.lse = at::Tensor();
  return result;
}

}  // namespace

AttentionPass allgather_kv_pass(const GatherCall& call) {
  AttentionPass pass;
  pass.forward = [call](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return gathered_forward(call, q, k, v);
  };
  pass.backward = [call](const AttentionSaved& saved, const at::Tensor& grad_out,
                         const at::Tensor& grad_lse) {
    return gathered_backward(call, saved, grad_out, grad_lse);
  };
  return pass;
}

Implementation allgather_kv_implementation() {
  return {"allgather_kv",
          [](const Case& c, const Backend& backend) {
            return supports_case(kAllgatherKvLimits, c, backend);
          },
          allgather_kv_attention, Method::allgather_kv};
}

}  // namespace attncheck

#include "impl/allgather_kv/allgather_kv_attention.h"

#include <utility>

#include "impl/allgather_kv/gathered_keys.h"
#include "impl/backends/attend.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/block_masks.h"
#include "impl/merges/block_calls.h"
#include "impl/merges/span_sums.h"
#include "impl/support/limits.h"

namespace attncheck {
namespace {

constexpr Limits kAllgatherKvLimits{.ring = true, .ulysses = false, .gathers_keys = true};

AttentionForward gathered_forward(const GatherCall& call, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v) {
  const GatheredKeys keys = gather_keys(k, v, call);
  MergedParts merged(call.parts, accumulation_type(q.scalar_type(), call.convert_to_fp32),
                     call.merge);
  std::vector<std::vector<c10::IValue>> aux;
  for (const Block& block : call.blocks) {
    BlockAttention part = attend(*call.backend, block_inputs(q, keys.k, keys.v, call.scale, block));
    merged.add(block.queries, part.out, part.lse);
    aux.push_back(std::move(part.aux));
  }
  const Partial whole = merged.whole(q, v.size(3));
  const at::Tensor out = cast(whole.out, q.scalar_type());
  return {out, whole.lse, {{q, k, v, out, whole.lse}, std::move(aux)}};
}

BackendGrads gathered_backward(const GatherCall& call, const AttentionSaved& saved,
                               const at::Tensor& grad_out, const at::Tensor& grad_lse) {
  const auto& t = saved.tensors;
  const at::Tensor& q = t[0];
  const auto input = q.scalar_type(), type = accumulation_type(input, call.convert_to_fp32);
  GatheredKeys keys = gather_keys(t[1], t[2], call);
  SpanSum dq(q, type), dk(keys.k, type), dv(keys.v, type);
  const QueryRows rows{t[3], t[4], grad_out, grad_lse};
  for (size_t i = 0; i < call.blocks.size(); ++i) {
    const Block& block = call.blocks[i];
    const BackendGrads grads = attend_backward(
        *call.backend, block_backward(block_inputs(q, keys.k, keys.v, call.scale, block), rows,
                                      block, saved.aux.at(i)));
    dq.add(block.queries, grads.dq);
    dk.add(block.keys, grads.dk);
    dv.add(block.keys, grads.dv);
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

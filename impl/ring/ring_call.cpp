#include "impl/ring/ring_call.h"

#include "impl/contract/dtypes.h"
#include "impl/layouts/contiguous.h"

namespace attncheck {

RingCall ring_call(const AttentionOptions& options, const MeshGroups& groups) {
  RingCall call;
  call.backend = options.backend;
  call.scale = options.scale;
  call.diagonal = global_diagonal(options);
  call.rotate = options.rotate;
  call.convert_to_fp32 = options.convert_to_fp32;
  call.group = keep(groups.ring);
  call.ring_index = groups.ring_index();
  call.ring_degree = groups.mesh.ring;
  return call;
}

at::ScalarType accumulation_type(at::ScalarType input, bool convert_to_fp32) {
  return convert_to_fp32 ? lse_scalar_type(input) : input;
}

int step_owner(int ring_index, int step, int ring_degree) {
  return (ring_index + ring_degree - step % ring_degree) % ring_degree;
}

BackendInputs key_block(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const RingCall& call, int owner) {
  BackendInputs block{q, k, v, {}, call.scale, {}};
  block.diagonal = block_diagonal(call.diagonal, call.ring_index * q.size(1), owner * k.size(1));
  return block;
}

}  // namespace attncheck

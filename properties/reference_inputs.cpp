#include "properties/reference_inputs.h"

namespace attncheck {

reference::Inputs reference_inputs(const Request& request, const InputTensors& tensors) {
  const Problem& p = request.case_.problem;
  reference::Inputs inputs;
  inputs.q = tensors.q;
  inputs.k = tensors.k;
  inputs.v = tensors.v;
  inputs.scale = effective_scale(p);
  inputs.diagonal = causal_diagonal(p);
  for (int64_t i = 0; i < p.q_len; ++i) inputs.q_positions.push_back(i);
  for (int64_t j = 0; j < p.kv_len; ++j) inputs.kv_positions.push_back(j);
  return inputs;
}

}  // namespace attncheck

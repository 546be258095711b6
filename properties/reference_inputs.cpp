#include "properties/reference_inputs.h"

#include "properties/masks.h"

namespace attncheck {

reference::Inputs reference_inputs(const Request& request, const InputTensors& tensors) {
  const Problem& p = request.case_.problem;
  reference::Inputs inputs;
  inputs.q = tensors.q;
  inputs.k = tensors.k;
  inputs.v = tensors.v;
  inputs.scale = effective_scale(p);
  inputs.mask = of_four_axes(tensors.mask);
  const Band band = visible_band(p);
  inputs.diagonal = band.upper;
  inputs.least_diagonal = band.lower;
  int64_t start = 0;
  for (const int64_t length : p.documents) {
    inputs.document_starts.push_back(start);
    start += length;
  }
  for (int64_t i = 0; i < p.q_len; ++i) inputs.q_positions.push_back(i);
  for (int64_t j = 0; j < p.kv_len; ++j) inputs.kv_positions.push_back(j);
  return inputs;
}

}  // namespace attncheck

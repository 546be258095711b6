#include "harness/evaluate_model.h"

namespace attncheck {

void evaluate_model(const Model& model, const Backend& backend, const Request& request,
                    const MeshGroups& groups, RankResult& result, Phase& phase) {
  const ModelForward forward = model.forward(request.case_, backend, groups);
  result.tensors["out"] = forward.out;
  result.tensors["loss"] = forward.loss;
  for (const auto& [name, tensor] : forward.replicated) {
    result.tensors["replicated " + name] = tensor;
  }
  if (!request.backward) return;
  phase = Phase::backward;
  for (const auto& [name, gradient] : forward.gradients()) {
    result.tensors["gradient of " + name] = gradient;
  }
}

}  // namespace attncheck

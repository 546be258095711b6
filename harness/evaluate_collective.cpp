#include "harness/evaluate_collective.h"

#include <torch/csrc/autograd/autograd.h>

#include "harness/on_device.h"
#include "properties/inputs.h"

namespace attncheck {

void evaluate_collective(const Collective& collective, const Request& request,
                         const MeshGroups& groups, RankResult& result, Phase& phase) {
  const Case& c = request.case_;
  const at::Tensor input = collective_input(request, groups.rank, collective.input_shape(c));
  at::Tensor x = on_device(input, groups.device).detach();
  x.requires_grad_(true);
  result.tensors["x"] = x.detach();
  const at::Tensor y = collective.apply(x, groups);
  result.tensors["y"] = y.detach();
  if (!request.backward) return;
  phase = Phase::backward;
  const at::Tensor cotangent =
      collective_cotangent(request, groups.rank, collective.output_shape(c));
  const at::Tensor dy = on_device(cotangent, groups.device);
  result.tensors["dy"] = dy;
  const auto grads = torch::autograd::grad({y}, {x}, {dy}, /*retain_graph=*/std::nullopt,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  if (grads[0].defined()) result.tensors["dx"] = grads[0].detach();
}

}  // namespace attncheck

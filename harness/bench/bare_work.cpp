#include "harness/bench/bare_work.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/bench/loopback.h"
#include "harness/evaluate_implementation.h"
#include "harness/evaluate_local.h"
#include "impl/contract/dtypes.h"
#include "problem/case_text.h"
#include "properties/inputs.h"
#include "properties/reference_inputs.h"
#include "reference/evaluation.h"

namespace attncheck::bench {
namespace {

void evaluate_reference(const Request& request) {
  const InputTensors tensors = global_inputs(request);
  const at::ScalarType io = scalar_type(request.case_.problem.dtype);
  reference::evaluate(reference_inputs(request, tensors), tensors.dout, tensors.dlse,
                      reference::BoundContext{io, lse_scalar_type(io), request.case_.mesh.ring});
}

}  // namespace

BareWork::BareWork(const Registry& registry) : registry_(registry) {}
BareWork::~BareWork() = default;

const std::vector<MeshGroups>& BareWork::groups_of(const Mesh& mesh) {
  std::vector<MeshGroups>& groups = groups_[to_text(mesh)];
  for (int rank = static_cast<int>(groups.size()); rank < mesh.world(); ++rank) {
    groups.push_back(loopback_groups(mesh, rank));
  }
  return groups;
}

void BareWork::ranks(const Request& request) {
  const Case& c = request.case_;
  const Backend* backend = registry_.backend(c.backend);
  TORCH_CHECK(backend != nullptr, "there is no backend ", c.backend);
  const Implementation* implementation = registry_.implementation(c.impl);
  TORCH_CHECK(implementation != nullptr || c.impl == "local", "there is no attention ", c.impl);
  for (const MeshGroups& groups : groups_of(c.mesh)) {
    RankResult result;
    Phase phase = Phase::forward;
    if (implementation == nullptr) {
      evaluate_local(*backend, request, result, phase);
    } else {
      evaluate_implementation(*implementation, *backend, request, groups, result, phase);
    }
  }
}

void BareWork::operator()(const Request& request) {
  ranks(request);
  evaluate_reference(request);
}

}  // namespace attncheck::bench

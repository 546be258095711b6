#pragma once

#include <functional>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "impl/contract/mesh_groups.h"
#include "impl/contract/support.h"
#include "problem/case.h"

namespace attncheck {

struct Backend;

using NamedTensors = std::map<std::string, at::Tensor>;

// What one rank gives of one step of training.
struct ModelForward {
  at::Tensor out;  // of the whole sequence, gathered: the same on every rank
  // This rank's part, one element: the model's loss is the SUM of the ranks' parts.
  at::Tensor loss;
  // Everything that reaches the model's modules and that no rank has a part of alone: parameters,
  // and inputs before they are split. By name; the same bits on every rank if nothing is wrong.
  NamedTensors replicated;
  // Runs the backward pass on every rank: the gradient of the model's loss by the parameter's name,
  // already summed over the ranks, as a trainer does before its optimiser's step.
  std::function<NamedTensors()> gradients;
};

// A model whose sequence is sharded over the ranks of a mesh. A case gives its sizes and its seed
// (docs/cases.md); parameters and inputs depend on these alone, not on mesh, rank or dtype, so that
// the same case on mesh 1x1 is the same model. Every rank of the mesh calls `forward`, and then the
// `gradients` that it returned; backend and groups outlive both. It throws, on every rank and
// before it communicates, for what it does not support.
struct Model {
  std::string name;
  // Whether it does the case with its attention on the given backend.
  std::function<Support(const Case&, const Backend&)> supports;
  std::function<ModelForward(const Case&, const Backend&, const MeshGroups&)> forward;
};

}  // namespace attncheck

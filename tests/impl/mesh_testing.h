#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/contract/mesh_groups.h"

namespace attncheck::testing {

using RankWork = std::function<void(const MeshGroups&)>;

// Runs the work on every rank of a simulated mesh: what each threw, or nothing.
std::vector<std::optional<std::string>> errors_on_mesh(const Mesh& mesh, const RankWork& work);

// The same; a test in which a rank throws fails.
void run_on_mesh(const Mesh& mesh, const RankWork& work);

// What autograd gives for the inputs, undefined where an input has no part in the roots.
std::vector<at::Tensor> gradients(const std::vector<at::Tensor>& roots,
                                  const std::vector<at::Tensor>& inputs,
                                  const std::vector<at::Tensor>& cotangents);

}  // namespace attncheck::testing

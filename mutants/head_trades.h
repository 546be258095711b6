#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/ulysses/exchanged_pass.h"
#include "mutants/parents.h"

namespace attncheck {

// A parent on meshes 1xU that makes the trades that `change` makes of right ones.
Parent trading_parent(std::function<void(HeadTrades&, const MeshGroups&)> change);

// Each of the tensors traded by `trade`.
HeadTrades::Trade one_by_one(std::function<at::Tensor(const at::Tensor& x)> trade);

}  // namespace attncheck

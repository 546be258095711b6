#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/arange.h>

#include "harness/callables/keywords.h"
#include "impl/backends/visibility.h"
#include "python/core/calls.h"
#include "python/core/raised.h"

namespace attncheck::python {
namespace {

// What the diagonal and the mask of a block are for a callable with those keywords.
struct Hidden {
  bool causal = false;
  std::optional<int64_t> diagonal;
  at::Tensor mask;
};

// (Sq, Skv), true where the diagonal lets a query see a key.
at::Tensor below(int64_t diagonal, const BackendInputs& block) {
  const auto positions = [&](int64_t n) {
    return at::arange(n, block.q.options().dtype(at::kLong));
  };
  const at::Tensor rows = positions(block.q.size(1)) + diagonal;
  return positions(block.k.size(1)).unsqueeze(0) <= rows.unsqueeze(1);
}

at::Tensor both(const at::Tensor& mask, const at::Tensor& seen) {
  if (!mask.defined()) return seen.unsqueeze(0).unsqueeze(0);
  if (mask.scalar_type() == at::kBool) return mask.logical_and(seen);
  return mask.masked_fill(seen.logical_not(), -kInfinity);
}

Hidden hidden_in(const CallableDescription& callable, const BackendInputs& block) {
  Hidden hidden{false, hiding_diagonal(block), block.mask};
  if (!hidden.diagonal || callable.has("diagonal")) return hidden;
  const int64_t diagonal = *std::exchange(hidden.diagonal, std::nullopt);
  const bool square = diagonal == 0 && block.q.size(1) == block.k.size(1);
  hidden.causal = square && callable.has("is_causal");
  if (hidden.causal) return hidden;
  if (!callable.has("mask")) {
    throw RefusedCall("keys are hidden from diagonal " + std::to_string(diagonal) +
                      " on, which the backend takes no keyword to be told of: is_causal, "
                      "diagonal or mask");
  }
  hidden.mask = both(block.mask, below(diagonal, block));
  return hidden;
}

py::dict said_to(const CallableDescription& callable, const BackendInputs& block) {
  const Hidden hidden = hidden_in(callable, block);
  py::dict said;
  said["scale"] = block.scale;
  said["is_causal"] = hidden.causal;
  said["diagonal"] = hidden.diagonal;
  said["mask"] = hidden.mask.defined() ? py::cast(hidden.mask) : py::none();
  return said;
}

}  // namespace

Backend python_backend(const CallableDescription& callable, const py::object& forward,
                       const py::object& backward) {
  Backend backend = described_backend(callable);
  backend.forward = [callable, &forward](const BackendInputs& block) {
    return in_python([&] {
      const py::tuple given = forward(block.q, block.k, block.v, said_to(callable, block));
      return BackendForward{given[0].cast<at::Tensor>(), given[1].cast<at::Tensor>(), {}, {}};
    });
  };
  backend.backward = [callable, &backward](const BackendBackward& call) {
    return in_python([&] {
      const BackendInputs& block = call.block;
      py::dict said = said_to(callable, block);
      said["grad_lse"] = call.grad_lse.defined() ? py::cast(call.grad_lse) : py::none();
      const py::tuple given =
          backward(call.grad_out, block.q, block.k, block.v, call.out, call.lse, said);
      return BackendGrads{given[0].cast<at::Tensor>(), given[1].cast<at::Tensor>(),
                          given[2].cast<at::Tensor>()};
    });
  };
  return backend;
}

}  // namespace attncheck::python

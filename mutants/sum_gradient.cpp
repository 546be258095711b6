#include "mutants/sum_gradient.h"

#include "impl/autograd/linear_function.h"
#include "impl/collectives/exchange.h"
#include "impl/collectives/kept_group.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

at::Tensor sum_over_ranks(const at::Tensor& x, c10d::ProcessGroup& world) {
  return all_gather(x.unsqueeze(0), world, 0).sum(0);
}

at::Tensor all_reduce(const at::Tensor& x, const MeshGroups& groups) {
  return linear_function(
      x,
      [world = keep(groups.world)](const at::Tensor& own) { return sum_over_ranks(own, *world); },
      [](const at::Tensor& grad) { return grad; });
}

// Supports and shapes are those of the ring's shift: what comes has the shape of what goes.
Collective summing() {
  Collective collective = built_in_collective("ring_shift");
  collective.name = "all_reduce";
  collective.apply = all_reduce;
  collective.origin = nullptr;
  return collective;
}

}  // namespace

Mutant sum_without_autograd() {
  return make_mutant({.name = "A18",
                      .source = "torch, C++ (functional collectives)",
                      .fault = "all-reduce without autograd: the gradient is 1 instead of W",
                      .property = "collective_backward_is_its_adjoint",
                      .smallest = "mesh=2x1 q=2 d=1"},
                     summing());
}

}  // namespace attncheck

#include "mutants/gather_gradient.h"

#include "impl/autograd/linear_function.h"
#include "impl/collectives/exchange.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

at::Tensor gather(const at::Tensor& x, const MeshGroups& groups) {
  const int64_t begin = groups.rank * x.size(kSequenceAxis), length = x.size(kSequenceAxis);
  return linear_function(
      x,
      [world = keep(groups.world)](const at::Tensor& own) {
        return all_gather(own, *world, kSequenceAxis);
      },
      [=](const at::Tensor& grad) { return grad.narrow(kSequenceAxis, begin, length); });
}

}  // namespace

Mutant gather_keeps_its_own_slice() {
  Collective collective = built_in_collective("all_gather");
  collective.apply = gather;
  return make_mutant({.name = "A5",
                      .source = "mindone PR 1438 (gather)",
                      .fault = "all-gather's backward keeps its own slice: no sum over ranks",
                      .property = "collective_backward_is_its_adjoint",
                      .smallest = "mesh=2x1 q=2 d=1"},
                     collective);
}

}  // namespace attncheck

#include "mutants/dispatch.h"

#include <cmath>
#include <utility>

#include <ATen/core/ivalue.h>

#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

BackendInputs as_flash_takes_it(BackendInputs block) {
  block.scale = 1.0 / std::sqrt(static_cast<double>(block.q.size(3)));
  return block;
}

Backend falls_through() {
  Backend backend = flash_cpu_backend();
  backend.name = "math";
  backend.forward = [math = math_backend().forward,
                     flash = backend.forward](const BackendInputs& block) {
    BackendForward result = math(block);
    result = flash(as_flash_takes_it(block));
    return result;
  };
  backend.backward = [math = math_backend().backward,
                      flash = backend.backward](BackendBackward call) {
    BackendGrads result = math(call);
    call.block = as_flash_takes_it(std::move(call.block));
    result = flash(call);
    return result;
  };
  return backend;
}

}  // namespace

Mutant math_falls_into_flash() {
  return make_mutant(
      {.name = "A7",
       .source = "mindone PR 1438 (dispatch)",
       .fault = "math falls through into flash, whose result overwrites it",
       .property = "output_matches_reference",
       .smallest = "mesh=1x1 q=1 kv=2 d=1 scale=0.5"},
      on_backend(implementation_of("dispatched", unified_parent()), falls_through()));
}

}  // namespace attncheck

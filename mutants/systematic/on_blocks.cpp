#include "mutants/systematic/on_blocks.h"

namespace attncheck {
namespace {

Backend edited_kernel(const Backend& right, const KernelEdits& edits) {
  Backend backend = right;
  backend.forward = [right, edits](BackendInputs block) {
    if (edits.block) edits.block(block);
    BackendForward result = right.forward(block);
    if (edits.result) edits.result(result);
    return result;
  };
  backend.backward = [right, edits](BackendBackward call) {
    if (edits.block) edits.block(call.block);
    if (edits.call) edits.call(call);
    BackendGrads grads = right.backward(call);
    if (edits.grads) edits.grads(grads, call);
    return grads;
  };
  return backend;
}

}  // namespace

Changes on_blocks(const KernelEdits& edits) {
  Changes changes;
  changes.backend = [edits](const Backend& right) { return edited_kernel(right, edits); };
  return changes;
}

}  // namespace attncheck

#include "mutants/lse_kept.h"

#include <ATen/ops/zeros_like.h>

#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

constexpr size_t kSavedLse = 4;  // q, k, v, out, lse

AttentionPass keeps_lse_on_request(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = ring_parent().pass(options, groups);
  if (options.return_lse) return pass;
  pass.forward = [right = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                        const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    at::Tensor& lse = result.saved.tensors.at(kSavedLse);
    lse = at::zeros_like(lse);
    return result;
  };
  return pass;
}

PassForward in_float32(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.out = result.out.to(at::kFloat).to(q.scalar_type());
    result.lse = result.lse.to(at::kFloat);
    return result;
  };
}

}  // namespace

std::vector<Mutant> lse_kept_mutants() {
  Mutant on_request = make_mutant(
      {.name = "A13",
       .source = "NeMo Automodel 3157",
       .fault = "forward saves no lse unless the caller asked for it",
       .property = "return_lse_changes_nothing_else",
       .smallest = "backend=cudnn_emulated:2.9 dtype=bf16 mesh=1x1 q=1 kv=2 d=8 return_lse=0"},
      implementation_of("keeps_lse_on_request", {ring_parent().limits, keeps_lse_on_request}));
  on_request.backends = {"math", "cudnn_emulated:2.8", "cudnn_emulated:2.9"};
  return {
      on_request,
      make_mutant({.name = "B12",
                   .source = "diffusers (its default)",
                   .fault = "lse and accumulators are forced to float32 on float64 input",
                   .property = "out_and_lse_have_declared_dtype",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  implementation_of("in_float32", with_forward(ring_parent(), in_float32))),
  };
}

}  // namespace attncheck

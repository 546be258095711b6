#include "mutants/kernel_layout.h"

#include <c10/util/Exception.h>

#include "impl/contract/backend.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/equal_shards.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

bool takes_heads_in_front(const Platform& platform) {
  return platform.contract.layout == KernelLayout::BHSD;
}

// (B, S, H, D) where the kernel reads (B, H, S, D).
at::Tensor transposed_again(const at::Tensor& x) {
  TORCH_CHECK(x.size(kSequenceAxis) == x.size(kHeadsAxis),
              "k and v have other tokens than q: they are ", x.transpose(1, 2).sizes());
  return x.transpose(kSequenceAxis, kHeadsAxis);
}

AttentionPass transposes_keys_twice(const AttentionOptions& options, const MeshGroups& groups) {
  AttentionPass pass = ring_parent().pass(options, groups);
  if (!takes_heads_in_front({options.backend->contract})) return pass;
  pass.backward = [right = pass.backward](AttentionSaved saved, const at::Tensor& grad_out,
                                          const at::Tensor& grad_lse) {
    for (const size_t of_keys : {1, 2}) {
      saved.tensors.at(of_keys) = transposed_again(saved.tensors.at(of_keys));
    }
    return right(saved, grad_out, grad_lse);
  };
  return pass;
}

}  // namespace

Mutant keys_transposed_twice() {
  const Parent parent{of_equal_shards(ring_parent().limits), transposes_keys_twice};
  Mutant mutant = make_mutant(
      {.name = "A12",
       .source = "diffusers #14338, PR 14341",
       .fault = "k and v are transposed twice, q once, before cuDNN's backward: silent for s = h",
       .property = "gradients_match_reference",
       .smallest = "backend=cudnn_emulated:2.9 dtype=bf16 mesh=1x1 q=2 h=2 d=8"},
      implementation_of("keys_transposed_twice", parent));
  mutant.backends = {"math", "cudnn_emulated:2.8", "cudnn_emulated:2.9"};
  mutant.wrong_here = takes_heads_in_front;
  return mutant;
}

}  // namespace attncheck

#include "mutants/exchange_layout.h"

#include <array>

#include "impl/collectives/differentiable.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

constexpr const char* kTagged = "tagged_integers_arrive_bitwise";

// The message is (U, B, S_local, H/U, D), one part per sender. Read as (B, U * S_local, ...) it is
// right for a batch of one alone.
at::Tensor sender_before_batch(const at::Tensor& x, const MeshGroups& groups) {
  const at::Tensor y = seq_all_to_all(x, keep(groups.ulysses), kHeadsAxis, kSequenceAxis);
  const at::Tensor by_sender =
      y.unflatten(kSequenceAxis, {groups.mesh.ulysses, x.size(kSequenceAxis)});
  return by_sender.transpose(0, 1).reshape(y.sizes());
}

// The heads of the message stand before its tokens; the reshape takes them for tokens.
at::Tensor heads_before_tokens(const at::Tensor& x, const MeshGroups& groups) {
  if (groups.mesh.ulysses == 1) return x;
  const at::Tensor y = seq_all_to_all(x, keep(groups.ulysses), kHeadsAxis, kSequenceAxis);
  return y.transpose(kSequenceAxis, kHeadsAxis).reshape(y.sizes());
}

// To heads and back again; the way back ends in the shape of the way there.
at::Tensor back_in_the_shape_of_there(const at::Tensor& x, const MeshGroups& groups) {
  const at::Tensor there = seq_all_to_all(x, keep(groups.ulysses), kHeadsAxis, kSequenceAxis);
  const at::Tensor back = seq_all_to_all(there, keep(groups.ulysses), kSequenceAxis, kHeadsAxis);
  return back.reshape(there.sizes());
}

Collective with_apply(Collective collective,
                      at::Tensor (*apply)(const at::Tensor&, const MeshGroups&)) {
  collective.apply = apply;
  return collective;
}

Collective round_trip() {
  Collective collective = built_in_collective("seq_all_to_all");
  collective.name = "round_trip";
  collective.output_shape = collective.input_shape;
  collective.origin = [](const Case&, int rank, const std::array<int64_t, 4>& index) {
    return Origin{rank, index};
  };
  return collective;
}

}  // namespace

std::vector<Mutant> exchange_layout_mutants() {
  const Collective to_heads = built_in_collective("seq_all_to_all");
  return {
      make_mutant({.name = "C1",
                   .source = "DeepSpeed #5808",
                   .fault = "the all-to-all scrambles a batch of more than one",
                   .property = kTagged,
                   .smallest = "mesh=1x2 b=2 q=4 h=4 d=1"},
                  with_apply(to_heads, sender_before_batch)),
      make_mutant({.name = "C2",
                   .source = "DeepSpeed #5664",
                   .fault = "the reshape after the exchange mixes tokens and heads",
                   .property = kTagged,
                   .smallest = "mesh=1x2 q=4 h=4 d=1"},
                  with_apply(to_heads, heads_before_tokens)),
      make_mutant(
          {.name = "C3",
           .source = "DeepSpeed #8317",
           .fault = "the head gather returns the sibling branch's shape, same element count",
           .property = kTagged,
           .smallest = "mesh=1x2 q=2 h=2 d=1"},
          with_apply(round_trip(), back_in_the_shape_of_there)),
  };
}

}  // namespace attncheck

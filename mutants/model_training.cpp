#include "mutants/model_training.h"

#include <limits>
#include <numeric>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "impl/collectives/exchange.h"
#include "impl/contract/dtypes.h"
#include "impl/models/decoder.h"
#include "impl/models/drawn.h"
#include "impl/models/flux_like.h"
#include "impl/models/wan_like.h"
#include "mutants/entry.h"

namespace attncheck {
namespace {

constexpr const char* kMatches = "model_matches_single_rank";

using Factor = std::function<double(int ranks)>;

Model with_scaled_sum(Recipe recipe, const Factor& factor) {
  recipe.sum = [right = recipe.sum, factor](const at::Tensor& gradients, const MeshGroups& groups) {
    return right(gradients, groups) * factor(groups.mesh.world());
  };
  return model_of(recipe);
}

using Change = std::function<void(BuiltModel&, const Case&, const MeshGroups&)>;

Model with_change(Recipe recipe, const Change& change) {
  recipe.build = [right = recipe.build, change](const Case& c, const Backend& backend,
                                                const MeshGroups& groups) {
    BuiltModel built = right(c, backend, groups);
    change(built, c, groups);
    return built;
  };
  return model_of(recipe);
}

HookedModule& module_at(BuiltModel& built, const std::string& name) {
  return dynamic_cast<HookedModule&>(*built.root->named_modules()[name]);
}

// Which token stands where, rank by rank.
at::Tensor order_of(const Sequence& sequence) {
  if (sequence.order.empty()) return at::arange(total(sequence.lengths));
  return at::tensor(sequence.order, at::kLong);
}

int64_t offset_of(const ShardLengths& lengths, int rank) {
  return std::accumulate(lengths.begin(), lengths.begin() + rank, int64_t{0});
}

// As many rows as the rank has tokens, but the first ones.
void first_rows_of_rotary(BuiltModel& built, const Case&, const MeshGroups& groups) {
  built.plan.erase("rope");
  const int64_t rows = built.sequences.at("latents").lengths[groups.rank];
  module_at(built, "rope").after([rows](Tensors& pair) {
    for (at::Tensor& table : pair) table = table.narrow(0, 0, rows);
  });
}

// Whole on every rank in front of the split, and then summed as all gradients are.
void gathers_in_splits_backward(BuiltModel& built, const Case&, const MeshGroups& groups) {
  built.plan.erase("blocks.0");
  const Sequence& sequence = built.sequences.at("latents");
  const KeptGroup world = keep(groups.world);
  module_at(built, "blocks.0")
      .before([=, lengths = sequence.lengths, held = order_of(sequence)](Tensors& inputs) {
        inputs[0] =
            split_axis(inputs[0].index_select(1, held), world, 1, lengths, SplitGradient::whole);
      });
}

// As in A5, but in a hook of a model, whose loss looks at the tokens of all ranks.
void keeps_its_slice(BuiltModel& built, const Case&, const MeshGroups& groups) {
  built.plan.erase("proj_out");
  const Sequence& sequence = built.sequences.at("latents");
  const KeptGroup world = keep(groups.world);
  module_at(built, "proj_out")
      .after(
          [=, lengths = sequence.lengths, back = order_of(sequence).argsort()](Tensors& outputs) {
            const at::Tensor own = outputs[0];
            const at::Tensor all = gather_axis(own.detach(), world, 1, lengths);
            const int64_t begin = offset_of(lengths, group_rank(*world)), length = own.size(1);
            const at::Tensor whole =
                at::cat({all.narrow(1, 0, begin), own,
                         all.narrow(1, begin + length, all.size(1) - begin - length)},
                        1);
            outputs[0] = whole.index_select(1, back);
          });
}

void conditioning_by_rank(BuiltModel& built, const Case& c, const MeshGroups& groups) {
  at::Tensor& conditioning = built.inputs.at(2);
  conditioning = drawn(c.seed + groups.rank, "conditioning", conditioning.sizes(),
                       scalar_type(c.problem.dtype));
}

// As if each rank computed it, some with fused operations.
void rounds_conditioning_by_rank(BuiltModel& built, const Case&, const MeshGroups& groups) {
  constexpr double kUnits = 4.0 * std::numeric_limits<double>::epsilon();
  at::Tensor& conditioning = built.inputs.at(2);
  conditioning = conditioning.mul(1.0 + kUnits * groups.rank);
}

}  // namespace

std::vector<Mutant> model_mutants() {
  return {
      make_mutant({.name = "A14",
                   .source = "Automodel 3157, verl-omni PR 59, DeepSpeed #5248",
                   .fault = "parameter gradients are averaged over the ranks where a sum is due",
                   .property = kMatches,
                   .smallest = "mesh=2x1 q=2 d=1"},
                  with_scaled_sum(decoder_recipe(), [](int ranks) { return 1.0 / ranks; })),
      make_mutant({.name = "house_gradients_times_ranks",
                   .source = "house",
                   .fault = "parameter gradients are multiplied by the number of ranks",
                   .property = kMatches,
                   .smallest = "mesh=2x1 q=2 d=1"},
                  with_scaled_sum(decoder_recipe(), [](int ranks) { return 1.0 * ranks; })),
      make_mutant(
          {.name = "C15",
           .source = "mindone PR 1438 (hook)",
           .fault = "the rotary (cos, sin) pair is cut to length, not to the shard's tokens",
           .property = kMatches,
           .smallest = "mesh=2x1 q=2 d=2"},
          with_change(wan_like_recipe(), first_rows_of_rotary)),
      make_mutant(
          {.name = "house_split_gathers_its_gradient",
           .source = "house",
           .fault = "a split's gradient is gathered on every rank, and then summed over them",
           .property = kMatches,
           .smallest = "mesh=2x1 q=2 d=1"},
          with_change(wan_like_recipe(), gathers_in_splits_backward)),
      make_mutant({.name = "house_hook_keeps_its_slice",
                   .source = "house",
                   .fault = "the gather of a model's output keeps its own slice of the gradient",
                   .property = kMatches,
                   .smallest = "mesh=2x1 q=3 kv=2 d=1"},
                  with_change(wan_like_recipe(), keeps_its_slice)),
      make_mutant({.name = "house_conditioning_by_rank",
                   .source = "house",
                   .fault = "each rank draws a conditioning vector of its own",
                   .property = "replicated_inputs_agree_on_all_ranks",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  with_change(flux_like_recipe(), conditioning_by_rank)),
      make_mutant({.name = "house_conditioning_rounds_by_rank",
                   .source = "house",
                   .fault = "the conditioning vector differs from rank to rank in its last bits",
                   .property = "replicated_inputs_agree_on_all_ranks",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  with_change(flux_like_recipe(), rounds_conditioning_by_rank)),
  };
}

}  // namespace attncheck

#include "mutants/model_training.h"

#include <ATen/TensorOperators.h>

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

// As many rows as the rank has tokens, but the first ones.
void first_rows_of_rotary(BuiltModel& built, const Case&, const MeshGroups& groups) {
  built.plan.erase("rope");
  const int64_t rows = built.sequences.at("latents").lengths[groups.rank];
  module_at(built, "rope").after([rows](Tensors& pair) {
    for (at::Tensor& table : pair) table = table.narrow(0, 0, rows);
  });
}

void conditioning_by_rank(BuiltModel& built, const Case& c, const MeshGroups& groups) {
  at::Tensor& conditioning = built.inputs.at(2);
  conditioning = drawn(c.seed + groups.rank, "conditioning", conditioning.sizes(),
                       scalar_type(c.problem.dtype));
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
      make_mutant({.name = "house_conditioning_by_rank",
                   .source = "house",
                   .fault = "each rank draws a conditioning vector of its own",
                   .property = "replicated_inputs_agree_on_all_ranks",
                   .smallest = "mesh=2x1 q=2 d=1"},
                  with_change(flux_like_recipe(), conditioning_by_rank)),
  };
}

}  // namespace attncheck

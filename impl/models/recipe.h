#pragma once

#include <functional>
#include <memory>
#include <string>

#include "impl/contract/backend.h"
#include "impl/contract/model.h"
#include "impl/sharding/plan.h"

namespace attncheck {

// A model as built for a case on one rank, before its plan is applied.
struct BuiltModel {
  std::shared_ptr<HookedModule> root;  // takes `inputs`, returns one tensor (B, S, ...)
  Plan plan;
  Sequences sequences;
  Tensors inputs;  // whole, as every rank draws them
  // The gathered output (B, S, ...) to the loss of each token (B, S).
  std::function<at::Tensor(const at::Tensor& out)> token_losses;
};

// What a model is made of, so that a mutant can change one piece.
struct Recipe {
  std::string name;
  // What it refuses beyond what every model does.
  std::function<Support(const Case&, const Backend&)> supports;
  std::function<BuiltModel(const Case&, const Backend&, const MeshGroups&)> build;
  // The ranks' gradients of all parameters, one after another in one vector, to their sum.
  std::function<at::Tensor(const at::Tensor& gradients, const MeshGroups&)> sum;
};

// A recipe with the sum that is right.
Recipe make_recipe(std::string name, decltype(Recipe::supports) supports,
                   decltype(Recipe::build) build);

// One step of training as every model makes it: parameters and inputs are drawn, the plan shards
// the sequence, the output is gathered, and of its tokens rank r counts r, r + W, r + 2 W, ... in
// its part of the loss, the mean over all tokens: so its gradient must come from every shard.
Model model_of(const Recipe& recipe);

// Squared distance from a target that is drawn, by token: out (B, S, C) to (B, S).
std::function<at::Tensor(const at::Tensor&)> distance_to_target(const Case& c, int64_t channels);

}  // namespace attncheck

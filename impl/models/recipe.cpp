#include "impl/models/recipe.h"

#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <torch/csrc/autograd/autograd.h>

#include "impl/contract/dtypes.h"
#include "impl/models/drawn.h"

namespace attncheck {
namespace {

Support supports_model_shards(const Case& c) {
  const ShardLengths& shards = c.problem.shards;
  if (shards.empty()) return Support::yes();
  if (c.problem.layout != Layout::contiguous) {
    return Support::no("shards= are lengths of layout=contiguous: leave one of them out");
  }
  const bool adds_up = total(shards) == c.problem.q_len || total(shards) == c.problem.kv_len;
  if (static_cast<int>(shards.size()) == c.mesh.world() && adds_up) return Support::yes();
  return Support::no(
      "shards= are the lengths of the ranks' shards: " + std::to_string(c.mesh.world()) +
      " that add up to q=" + std::to_string(c.problem.q_len));
}

Support supports_words(const Case& c) {
  const Problem& p = c.problem;
  if (p.causal) return Support::no("a model's masks are its own: leave causal= out");
  if (p.align != Align::top_left) return Support::no("align=br is not supported: leave it out");
  if (p.mask != Mask::none || p.window || !p.documents.empty()) {
    return Support::no("a model's masks are its own: leave mask=, window= and documents= out");
  }
  if (p.joint.tokens > 0) return Support::no("a model has no joint tokens: leave joint= out");
  if (p.scale) return Support::no("a model's scale is 1/sqrt(d): leave scale= out");
  if (p.v_head_dim != p.head_dim) return Support::no("dv is d in a model: leave dv= out");
  if (auto s = supports_model_shards(c); !s) return s;
  if (p.data != Data::normal) return Support::no("a model draws its own data: use data=normal");
  if (p.view != View::none) return Support::no("a model makes its own tensors: use view=none");
  return Support::yes();
}

Support supports_call(const Case& c) {
  if (c.grad != GradSet{}) return Support::no("every parameter requires grad: leave grad= out");
  if (c.lse_cotangent) return Support::no("a model returns no log-sum-exp: use dlse=0");
  if (c.dropout != 0.0) return Support::no("dropout is not supported: use dropout=0");
  return Support::yes();
}

Support supports_recipe(const Recipe& recipe, const Case& c, const Backend& backend) {
  if (auto s = supports_words(c); !s) return s;
  if (auto s = supports_call(c); !s) return s;
  return recipe.supports(c, backend);
}

struct Parameters {
  std::vector<std::string> names;
  Tensors tensors;
};

Parameters parameters_of(const torch::nn::Module& root) {
  Parameters all;
  for (const auto& item : root.named_parameters()) {
    all.names.push_back(item.key());
    all.tensors.push_back(item.value());
  }
  return all;
}

// What reaches the root, before the plan touches it.
void record_replicated(HookedModule& root, NamedTensors& replicated) {
  root.before([&root, &replicated](const Tensors& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      replicated["input " + root.ports().inputs[i].name] = inputs[i].detach();
    }
    for (const auto& item : root.named_parameters()) {
      replicated["parameter " + item.key()] = item.value().detach();
    }
  });
}

at::Tensor own_loss(const at::Tensor& token_losses, const MeshGroups& groups) {
  const int64_t tokens = token_losses.size(1);
  return token_losses.slice(1, groups.rank, tokens, groups.mesh.world()).sum() /
         static_cast<double>(token_losses.numel());
}

Tensors own_gradients(const at::Tensor& loss, const Parameters& parameters) {
  Tensors gradients = torch::autograd::grad({loss}, parameters.tensors, {}, std::nullopt,
                                            /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < gradients.size(); ++i) {
    TORCH_CHECK(gradients[i].defined(), "the parameter ", parameters.names[i], " got no gradient");
    gradients[i] = gradients[i].flatten();
  }
  return gradients;
}

NamedTensors summed_gradients(const Recipe& recipe, const at::Tensor& loss,
                              const Parameters& parameters, const MeshGroups& groups) {
  const at::Tensor all = recipe.sum(at::cat(own_gradients(loss, parameters)), groups);
  NamedTensors summed;
  int64_t begin = 0;
  for (size_t i = 0; i < parameters.names.size(); ++i) {
    const at::Tensor& parameter = parameters.tensors[i];
    summed[parameters.names[i]] = all.narrow(0, begin, parameter.numel()).view(parameter.sizes());
    begin += parameter.numel();
  }
  return summed;
}

ModelForward step(const Recipe& recipe, const Case& c, const Backend& backend,
                  const MeshGroups& groups) {
  const Support support = supports_recipe(recipe, c, backend);
  TORCH_CHECK(support.ok, support.reason);
  BuiltModel built = recipe.build(c, backend, groups);
  draw_parameters(*built.root, c.seed);
  built.root->to(groups.device);
  for (at::Tensor& input : built.inputs) input = input.to(groups.device);
  ModelForward result;
  record_replicated(*built.root, result.replicated);
  apply_plan(*built.root, built.plan, built.sequences, keep(groups.world));
  const at::Tensor out = (*built.root)(built.inputs).front();
  const at::Tensor loss = own_loss(built.token_losses(out), groups);
  result.out = out.detach();
  result.loss = loss.detach();
  result.gradients = [recipe, loss, &groups, parameters = parameters_of(*built.root)] {
    return summed_gradients(recipe, loss, parameters, groups);
  };
  return result;
}

}  // namespace

Recipe make_recipe(std::string name, decltype(Recipe::supports) supports,
                   decltype(Recipe::build) build) {
  return {std::move(name), std::move(supports), std::move(build),
          [](const at::Tensor& gradients, const MeshGroups& groups) {
            return sum_over_ranks(gradients, keep(groups.world));
          }};
}

Model model_of(const Recipe& recipe) {
  return {recipe.name,
          [recipe](const Case& c, const Backend& backend) {
            return supports_recipe(recipe, c, backend);
          },
          [recipe](const Case& c, const Backend& backend, const MeshGroups& groups) {
            return step(recipe, c, backend, groups);
          }};
}

std::function<at::Tensor(const at::Tensor&)> distance_to_target(const Case& c, int64_t channels) {
  const Problem& p = c.problem;
  const at::ScalarType type = lse_scalar_type(scalar_type(p.dtype));
  const at::Tensor target = drawn(c.seed, "target", {p.batch, p.q_len, channels}, type);
  return [=](const at::Tensor& out) {
    return (out.to(type) - target.to(out.device())).square().mean(-1);
  };
}

}  // namespace attncheck

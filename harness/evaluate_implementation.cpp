#include "harness/evaluate_implementation.h"

#include <torch/csrc/autograd/autograd.h>

#include "properties/inputs.h"

namespace attncheck {
namespace {

struct Leaves {
  at::Tensor q, k, v;
};

Leaves make_leaves(const InputTensors& inputs, const GradSet& grad) {
  Leaves leaves{inputs.q.detach(), inputs.k.detach(), inputs.v.detach()};
  leaves.q.requires_grad_(grad.q);
  leaves.k.requires_grad_(grad.k);
  leaves.v.requires_grad_(grad.v);
  return leaves;
}

AttentionOptions options_of(const Case& c, const Backend& backend) {
  AttentionOptions options;
  options.backend = &backend;
  options.scale = effective_scale(c.problem);
  options.causal = c.problem.causal;
  options.align = c.problem.align;
  options.q_len = c.problem.q_len;
  options.kv_len = c.problem.kv_len;
  options.layout = c.problem.layout;
  options.shards = c.problem.shards;
  options.return_lse = c.return_lse;
  options.convert_to_fp32 = c.convert_to_fp32;
  options.rotate = c.rotate;
  options.dropout = c.dropout;
  return options;
}

void store_forward(const Attention& attention, RankResult& result) {
  if (attention.out.defined()) result.tensors["out"] = attention.out.detach();
  if (!attention.lse.defined()) return;
  result.tensors["lse"] = attention.lse.detach();
  result.facts["lse_requires_grad"] = attention.lse.requires_grad() ? "1" : "0";
}

// The roots of the backward pass and their cotangents. An lse that carries no gradient is no root:
// the fact `lse_requires_grad` says so.
void differentiate(const Attention& attention, const InputTensors& inputs, const Leaves& leaves,
                   RankResult& result) {
  torch::autograd::variable_list roots, cotangents, wanted;
  if (inputs.dout.defined()) {
    roots.push_back(attention.out);
    cotangents.push_back(inputs.dout);
  }
  if (inputs.dlse.defined() && attention.lse.defined() && attention.lse.requires_grad()) {
    roots.push_back(attention.lse);
    cotangents.push_back(inputs.dlse);
  }
  std::vector<const char*> names;
  const auto want = [&](const at::Tensor& leaf, const char* name) {
    if (!leaf.requires_grad()) return;
    wanted.push_back(leaf);
    names.push_back(name);
  };
  want(leaves.q, "dq");
  want(leaves.k, "dk");
  want(leaves.v, "dv");
  if (roots.empty() || wanted.empty()) return;
  const auto grads = torch::autograd::grad(roots, wanted, cotangents, /*retain_graph=*/std::nullopt,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined()) result.tensors[names[i]] = grads[i].detach();
  }
}

}  // namespace

void evaluate_implementation(const Implementation& implementation, const Backend& backend,
                             const Request& request, const MeshGroups& groups, RankResult& result,
                             Phase& phase) {
  const InputTensors inputs = rank_inputs(request, groups.rank);
  const Leaves leaves = make_leaves(inputs, request.case_.grad);
  const Attention attention = implementation.attention(leaves.q, leaves.k, leaves.v,
                                                       options_of(request.case_, backend), groups);
  store_forward(attention, result);
  if (!request.backward) return;
  phase = Phase::backward;
  differentiate(attention, inputs, leaves, result);
}

}  // namespace attncheck

#include "harness/evaluate_implementation.h"

#include <optional>

#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/input_copies.h"
#include "harness/on_device.h"
#include "harness/rank_memory.h"
#include "impl/contract/attention_options.h"
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

void store_forward(const Attention& attention, RankResult& result) {
  if (attention.out.defined()) result.tensors["out"] = attention.out.detach();
  if (!attention.lse.defined()) return;
  result.tensors["lse"] = attention.lse.detach();
  result.facts["lse_requires_grad"] = attention.lse.requires_grad() ? "1" : "0";
}

bool is_root(const at::Tensor& lse, const InputTensors& inputs) {
  return inputs.dlse.defined() && lse.defined() && lse.requires_grad();
}

// Autograd would speak of an index of its roots, or repair a shape that can be broadcast in
// silence. A dtype that it can convert is judged by properties.
void check_returned(const at::Tensor& tensor, const char* name, const char* axes,
                    const at::Tensor& cotangent) {
  TORCH_CHECK(tensor.defined(), "attention returned an ", name, " that is undefined, expected ",
              axes, " = ", cotangent.sizes());
  TORCH_CHECK(tensor.sizes() == cotangent.sizes(), "attention returned ", name, " of shape ",
              tensor.sizes(), ", expected ", axes, " = ", cotangent.sizes());
  TORCH_CHECK(tensor.is_floating_point(), "attention returned ", name, " of dtype ",
              tensor.scalar_type(), ", expected ", cotangent.scalar_type());
}

void check_returned(const Attention& attention, const InputTensors& inputs) {
  if (inputs.dout.defined()) {
    check_returned(attention.out, "out", "(B, Sq_local, H, Dv)", inputs.dout);
  }
  if (is_root(attention.lse, inputs)) {
    check_returned(attention.lse, "lse", "(B, Sq_local, H)", inputs.dlse);
  }
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
  if (is_root(attention.lse, inputs)) {
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

// One call of the implementation on this rank's shards, and its backward.
class Call {
 public:
  Call(const Implementation& implementation, const Backend& backend, const Request& request,
       const MeshGroups& groups)
      : implementation_(implementation),
        options_(attention_options(request.case_, backend)),
        groups_(groups),
        inputs_(on_device(rank_inputs(request, groups.rank), groups.device)),
        leaves_(make_leaves(inputs_, request.case_.grad)) {
    options_.mask = inputs_.mask;
  }

  void forward(RankResult& result) {
    attention_ = implementation_.attention(leaves_.q, leaves_.k, leaves_.v, options_, groups_);
    store_forward(attention_, result);
  }
  void backward(RankResult& result) {
    check_returned(attention_, inputs_);
    differentiate(attention_, inputs_, leaves_, result);
  }

  const InputTensors& inputs() const { return inputs_; }

 private:
  const Implementation& implementation_;
  AttentionOptions options_;
  const MeshGroups& groups_;
  InputTensors inputs_;
  Leaves leaves_;
  Attention attention_;
};

void take_companion(const RankResult& companion, RankResult& result) {
  for (const auto& [name, tensor] : companion.tensors) result.tensors["other_" + name] = tensor;
}

}  // namespace

void evaluate_implementation(const Implementation& implementation, const Backend& backend,
                             const Request& request, const MeshGroups& groups, RankResult& result,
                             Phase& phase) {
  std::optional<Call> companion;
  if (request.companion) {
    companion.emplace(implementation, backend, companion_request(request), groups);
  }
  RankResult of_companion;
  if (request.company == Company::before) {
    companion->forward(of_companion);
    companion->backward(of_companion);
  }
  Call own(implementation, backend, request, groups);
  InputCopies copies(request, own.inputs(), result);
  const MemoryMeter meter(request.watch);
  const auto read_meter = [&] { result.peak_bytes = meter.peak_bytes(); };
  own.forward(result);
  read_meter();
  copies.take("after_forward");
  if (request.company == Company::interleaved) companion->forward(of_companion);
  if (!request.backward) return;
  phase = Phase::backward;
  own.backward(result);
  read_meter();
  copies.take("after_backward");
  if (request.company != Company::interleaved) return;
  companion->backward(of_companion);
  take_companion(of_companion, result);
}

}  // namespace attncheck

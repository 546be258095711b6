// An implementation from nothing but c10d and autograd: in step r, rank r broadcasts its keys and
// values, and every rank attends to them. Backward does the same again, and sums the gradients of
// what was shown at the rank that showed it. No rank holds more than one foreign shard at a time.

#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/autograd/kept.h"
#include "impl/backends/attend.h"
#include "impl/contract/dtypes.h"
#include "impl/merges/merge.h"
#include "impl/support/limits.h"
#include "parts.h"

using namespace attncheck;

namespace {

constexpr Limits kLimits{.ring = true, .ulysses = false, .every_split = false};

struct Call {
  AttentionOptions options;
  MeshGroups groups;
  MergeFunction merge;
  std::vector<std::vector<c10::IValue>> aux;  // the kernel's own, step by step

  // What every rank gets of rank `owner`'s k and v, side by side (B, Skv / R, Hkv, Dqk + Dv).
  at::Tensor shown(const at::Tensor& kv, int owner) const {
    std::vector<at::Tensor> message{owner == groups.rank ? kv : at::empty_like(kv)};
    c10d::BroadcastOptions from;
    from.rootRank = owner;
    groups.ring->broadcast(message, from)->wait();
    return message[0];
  }

  // This rank's queries against the shown keys.
  BackendInputs block(const at::Tensor& q, const at::Tensor& kv, int owner) const {
    BackendInputs block{q,
                        kv.narrow(3, 0, q.size(3)),
                        kv.narrow(3, q.size(3), kv.size(3) - q.size(3)),
                        {},
                        options.scale,
                        {}};
    if (options.causal) {
      const bool at_end = options.align == Align::bottom_right;
      block.diagonal = groups.rank * q.size(1) - owner * kv.size(1) +
                       (at_end ? options.kv_len - options.q_len : 0);
    }
    return block;
  }
};

class ShownKeys : public torch::autograd::Function<ShownKeys> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& q, const at::Tensor& k,
                                                const at::Tensor& v, Call call) {
    const at::Tensor kv = at::cat({k, v}, 3);
    const auto wide = accumulation_type(q.scalar_type(), call.options.convert_to_fp32);
    Partial sum = empty_partial(q, v.size(3), wide, lse_scalar_type(q.scalar_type()));
    for (int owner = 0; owner < call.groups.mesh.ring; ++owner) {
      BlockAttention part =
          attend(*call.options.backend, call.block(q, call.shown(kv, owner), owner));
      sum = call.merge(sum, {part.out.to(wide), part.lse});
      call.aux.push_back(std::move(part.aux));
    }
    const at::Tensor out = sum.out.to(q.scalar_type());
    context->save_for_backward({q, kv, out, sum.lse});
    context->saved_data["call"] = keep_value(std::move(call));
    context->set_materialize_grads(false);  // a lse that nobody uses has no gradient
    return {out, sum.lse};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const Call& call = kept_value<Call>(context->saved_data["call"]);
    const auto saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &kv = saved[1], &out = saved[2];
    const auto wide = lse_scalar_type(q.scalar_type());
    const at::Tensor grad_out = grads[0].defined() ? grads[0] : at::zeros_like(out);
    at::Tensor dq = at::zeros_like(q, q.options().dtype(wide)), dkv;
    for (int owner = 0; owner < call.groups.mesh.ring; ++owner) {
      const BackendGrads part = attend_backward(
          *call.options.backend, {call.block(q, call.shown(kv, owner), owner), grad_out, grads[1],
                                  out, saved[3], call.aux[owner]});
      dq.add_(part.dq);
      std::vector<at::Tensor> share{at::cat({part.dk, part.dv}, 3).to(wide)};
      c10d::ReduceOptions home;
      home.rootRank = owner;
      call.groups.ring->reduce(share, home)->wait();
      if (owner == call.groups.rank) dkv = share[0].to(kv.scalar_type());
    }
    return {dq.to(q.scalar_type()), dkv.narrow(3, 0, q.size(3)),
            dkv.narrow(3, q.size(3), kv.size(3) - q.size(3)), at::Tensor()};
  }
};

}  // namespace

Implementation shown_keys(const std::string& name, MergeFunction merge) {
  Implementation implementation;
  implementation.name = name;
  implementation.supports = [](const Case& c, const Backend& backend) {
    return supports_case(kLimits, c, backend);
  };
  implementation.attention = [merge](at::Tensor q, at::Tensor k, at::Tensor v,
                                     const AttentionOptions& options, const MeshGroups& groups) {
    check_call(kLimits, q, k, v, options, groups);  // throws before anything is sent
    const auto given = ShownKeys::apply(q, k, v, Call{options, groups, merge, {}});
    return Attention{given[0], options.return_lse ? given[1] : at::Tensor()};
  };
  return implementation;
}

#include "mutants/head_trades.h"

#include <utility>

#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"
#include "impl/layouts/contiguous.h"
#include "impl/ulysses/head_exchange.h"
#include "impl/ulysses/ulysses_attention.h"

namespace attncheck {
namespace {

// Every rank sends one, also where nothing depends on this rank's lse.
at::Tensor sent_grad_lse(const at::Tensor& grad_lse, const at::Tensor& grad_out) {
  if (grad_lse.defined()) return grad_lse;
  return at::zeros(grad_out.sizes().slice(0, 3),
                   grad_out.options().dtype(lse_scalar_type(grad_out.scalar_type())));
}

AttentionForward forward_between(const AttentionPass& inner, const HeadTrades& trades,
                                 bool return_lse, const std::vector<at::Tensor>& shards) {
  const auto heads = trades.to_heads(shards);
  AttentionForward result = inner.forward(heads[0], heads[1], heads[2]);
  std::vector<at::Tensor> results{result.out};
  if (return_lse) results.push_back(result.lse);
  results = trades.to_sequence(results);
  result.out = results[0];
  result.lse = return_lse ? results[1] : at::Tensor();
  return result;
}

BackendGrads backward_between(const AttentionPass& inner, const HeadTrades& trades, bool return_lse,
                              const AttentionSaved& saved, const at::Tensor& grad_out,
                              const at::Tensor& grad_lse) {
  std::vector<at::Tensor> incoming{grad_out};
  if (return_lse) incoming.push_back(sent_grad_lse(grad_lse, grad_out));
  incoming = trades.gradients_to_heads(incoming);
  at::Tensor grad_lse_heads = return_lse ? incoming[1] : at::Tensor();
  // As the parent has it, to the bit.
  if (return_lse && !grad_lse.defined() && !grad_lse_heads.any().item<bool>()) {
    grad_lse_heads.reset();
  }
  const BackendGrads heads = inner.backward(saved, incoming[0], grad_lse_heads);
  const auto shards = trades.gradients_to_sequence({heads.dq, heads.dk, heads.dv});
  return {shards[0], shards[1], shards[2]};
}

}  // namespace

HeadTrades right_trades(const KeptGroup& group) {
  const auto there = [group](const std::vector<at::Tensor>& xs) { return to_heads(xs, *group); };
  const auto back = [group](const std::vector<at::Tensor>& xs) { return to_sequence(xs, *group); };
  return {there, back, there, back};
}

AttentionPass trading_pass(const AttentionPass& inner, const HeadTrades& trades, bool return_lse) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return forward_between(inner, trades, return_lse, {q, k, v});
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    return backward_between(inner, trades, return_lse, saved, grad_out, grad_lse);
  };
  return pass;
}

Parent trading_parent(std::function<void(HeadTrades&, const MeshGroups&)> change) {
  return {ulysses_parent().limits,
          [change = std::move(change)](const AttentionOptions& options, const MeshGroups& groups) {
            HeadTrades trades = right_trades(keep(groups.ulysses));
            if (groups.mesh.ulysses > 1) change(trades, groups);
            return trading_pass(
                local_pass(options.backend, options.scale, global_diagonal(options)), trades,
                options.return_lse);
          },
          Method::ulysses};
}

HeadTrades::Trade one_by_one(std::function<at::Tensor(const at::Tensor& x)> trade) {
  return [trade = std::move(trade)](const std::vector<at::Tensor>& xs) {
    std::vector<at::Tensor> traded;
    for (const at::Tensor& x : xs) traded.push_back(trade(x));
    return traded;
  };
}

}  // namespace attncheck

#include "impl/ulysses/exchanged_pass.h"

#include <utility>

#include <ATen/ops/zeros.h>

#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

AttentionForward forward(const AttentionPass& inner, const HeadTrades& trades, bool return_lse,
                         const std::vector<at::Tensor>& shards) {
  const auto heads = trades.to_heads(shards);
  AttentionForward result = inner.forward(heads[0], heads[1], heads[2]);
  std::vector<at::Tensor> results{result.out};
  if (return_lse) results.push_back(result.lse);
  results = trades.to_sequence(results);
  result.out = results[0];
  result.lse = return_lse ? results[1] : at::Tensor();
  return result;
}

// (B, S, H): every rank of the group sends one, also where nothing depends on this rank's lse.
at::Tensor some_grad_lse(const at::Tensor& grad_lse, const at::Tensor& grad_out) {
  if (grad_lse.defined()) return grad_lse;
  return at::zeros(grad_out.sizes().slice(0, 3),
                   grad_out.options().dtype(lse_scalar_type(grad_out.scalar_type())));
}

// Nobody's: a kernel that takes no grad_lse pays for one. Tensors without data are those of a
// prediction, where a rank that has none stands for all.
bool is_nobodys(const at::Tensor& grad_lse) {
  return grad_lse.is_meta() || !grad_lse.any().item<bool>();
}

BackendGrads backward(const AttentionPass& inner, const HeadTrades& trades, bool return_lse,
                      const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
  std::vector<at::Tensor> incoming{grad_out};
  if (return_lse) incoming.push_back(some_grad_lse(grad_lse, grad_out));
  incoming = trades.gradients_to_heads(incoming);
  at::Tensor grad_lse_heads = return_lse ? incoming[1] : at::Tensor();
  if (return_lse && !grad_lse.defined() && is_nobodys(grad_lse_heads)) grad_lse_heads.reset();
  const BackendGrads heads = inner.backward(saved, incoming[0], grad_lse_heads);
  const auto shards = trades.gradients_to_sequence({heads.dq, heads.dk, heads.dv});
  return {shards[0], shards[1], shards[2]};
}

}  // namespace

AttentionPass exchanged_pass(AttentionPass inner, KeptGroup group, bool return_lse) {
  return exchanged_pass(std::move(inner), head_trades(group), return_lse);
}

AttentionPass exchanged_pass(AttentionPass inner, HeadTrades trades, bool return_lse) {
  AttentionPass pass;
  pass.forward = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return forward(inner, trades, return_lse, {q, k, v});
  };
  pass.backward = [=](const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
    return backward(inner, trades, return_lse, saved, grad_out, grad_lse);
  };
  return pass;
}

}  // namespace attncheck

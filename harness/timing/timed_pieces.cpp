#include "harness/timing/timed_pieces.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/backends/attend.h"
#include "impl/collectives/exchange.h"
#include "impl/contract/attention_options.h"
#include "impl/contract/dtypes.h"

namespace attncheck::timing {

Operands operands_of(const Problem& problem, int parts, c10::Device device) {
  const at::TensorOptions options(at::TensorOptions(device).dtype(scalar_type(problem.dtype)));
  const auto normal = [&](int64_t length, int64_t heads, int64_t dim) {
    return at::randn({problem.batch, length / parts, heads, dim}, options);
  };
  return {normal(problem.q_len, problem.heads, problem.head_dim),
          normal(problem.kv_len, problem.kv_heads, problem.head_dim),
          normal(problem.kv_len, problem.kv_heads, problem.v_head_dim),
          normal(problem.q_len, problem.heads, problem.v_head_dim)};
}

Piece method_piece(const Implementation& implementation, const Backend& backend, const Case& c,
                   const Operands& shards, const MeshGroups& groups) {
  const AttentionOptions options = attention_options(c, backend);
  return [&implementation, options, shards, groups](Stopwatch& watch) {
    const auto leaf = [](const at::Tensor& x) { return x.detach().requires_grad_(true); };
    const at::Tensor q = leaf(shards.q), k = leaf(shards.k), v = leaf(shards.v);
    watch.mark();
    const Attention attention = implementation.attention(q, k, v, options, groups);
    watch.mark();
    torch::autograd::grad({attention.out}, {q, k, v}, {shards.dout});
    watch.mark();
  };
}

Piece kernel_piece(const Backend& backend, const Problem& problem, const Operands& whole) {
  BackendInputs block;
  block.q = whole.q;
  block.k = whole.k;
  block.v = whole.v;
  block.scale = effective_scale(problem);
  block.diagonal = causal_diagonal(problem);
  return [&backend, block, dout = whole.dout](Stopwatch& watch) {
    const at::NoGradGuard no_grad;
    watch.mark();
    const BlockAttention attention = attend(backend, block);
    watch.mark();
    attend_backward(backend, {block, dout, {}, attention.out, attention.lse, attention.aux});
    watch.mark();
  };
}

Piece exchange_piece(ExchangeKind kind, const at::Tensor& x, c10d::ProcessGroup& group) {
  return [kind, x, &group](Stopwatch& watch) {
    watch.mark();
    switch (kind) {
      case ExchangeKind::all_gather:
        post_all_gather(x, group).wait();
        break;
      case ExchangeKind::all_to_all:
        all_to_all(x.view({group_size(group), -1}), group, 0, 1);
        break;
      case ExchangeKind::send_recv:
        shift({x}, group, 1);
        break;
    }
    watch.mark();
  };
}

}  // namespace attncheck::timing

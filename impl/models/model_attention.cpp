#include "impl/models/model_attention.h"

#include <algorithm>
#include <functional>

#include "impl/autograd/attention_function.h"
#include "impl/contract/attention_options.h"
#include "impl/contract/dtypes.h"
#include "impl/layouts/strands.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"

namespace attncheck {
namespace {

Implementation implementation_for(const Mesh& mesh) {
  const Method method = method_for(mesh);
  if (method == Method::ring) return ring_implementation();
  return method == Method::ulysses ? ulysses_implementation() : unified_implementation();
}

}  // namespace

Case attention_case(const Case& c, const ShardLengths& lengths, bool causal) {
  Case attention = c;
  attention.impl = to_text(method_for(c.mesh));
  attention.problem.q_len = attention.problem.kv_len = total(lengths);
  const bool equal =
      std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end();
  if (c.problem.layout == Layout::contiguous || !causal) {
    attention.problem.layout = Layout::contiguous;
    attention.problem.shards = equal ? ShardLengths() : lengths;
  }
  attention.problem.causal = causal;
  attention.return_lse = false;
  return attention;
}

Support supports_attention(const Case& attention, const Backend& backend) {
  return implementation_for(attention.mesh).supports(attention, backend);
}

AttentionCall sharded_attention(const Case& attention, const Backend& backend,
                                const MeshGroups& groups) {
  if (groups.mesh.world() == 1) {
    const AttentionPass pass = local_pass(&backend, effective_scale(attention.problem),
                                          causal_diagonal(attention.problem));
    return [pass](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
      return differentiable_attention(q, k, v, pass).out;
    };
  }
  return [call = implementation_for(groups.mesh).attention,
          options = attention_options(attention, backend),
          &groups](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return call(q, k, v, options, groups).out;
  };
}

AttentionCall own_attention(const Backend& backend, int64_t head_dim) {
  Problem problem;
  problem.head_dim = head_dim;
  const AttentionPass pass = local_pass(&backend, effective_scale(problem), std::nullopt);
  return [pass](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return differentiable_attention(q, k, v, pass).out;
  };
}

Support supports_own_attention(const Case& c, const Backend& backend) {
  Problem own = c.problem;
  own.q_len = std::max<int64_t>(1, own.q_len / c.mesh.world());
  own.shards.clear();
  own.causal = false;
  return backend.supports(own);
}

Sequence sequence_of(const Case& c, int64_t tokens) {
  const TokenSplit split{c.problem.layout, c.mesh.world(), c.problem.shards};
  Sequence sequence;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const Strands held = held_tokens(split, tokens, rank);
    sequence.lengths.push_back(token_count(held));
    for (const Strand& strand : held) {
      for (int64_t i = 0; i < strand.length; ++i) {
        sequence.order.push_back(strand.offset + i * strand.stride);
      }
    }
  }
  if (c.problem.layout == Layout::contiguous) sequence.order.clear();
  return sequence;
}

HeadSizes head_sizes(const Case& c) {
  const Problem& p = c.problem;
  return {p.heads, p.kv_heads, p.head_dim, scalar_type(p.dtype)};
}

}  // namespace attncheck

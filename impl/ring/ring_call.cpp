#include "impl/ring/ring_call.h"

#include <algorithm>

#include "impl/layouts/token_order.h"
#include "impl/merges/span_sums.h"

namespace attncheck {
namespace {

// What a ring rank holds of `len` tokens. Where every query sees every key, their order says
// nothing: one strand has them all.
Strands ring_tokens(const AttentionOptions& options, int64_t len, const Mesh& mesh, int index) {
  const Strands held = group_tokens(token_split(options, mesh), len, mesh, index);
  if (options.causal) return in_order(held).strands;
  const int64_t count = token_count(held);
  return count == 0 ? Strands{} : Strands{{0, 1, count}};
}

}  // namespace

RingCall ring_call(const AttentionOptions& options, const MeshGroups& groups) {
  RingCall call;
  call.backend = options.backend;
  call.scale = options.scale;
  call.rotate = options.rotate;
  call.convert_to_fp32 = options.convert_to_fp32;
  call.group = keep(groups.ring);
  call.ring_index = groups.ring_index();
  call.ring_degree = groups.mesh.ring;
  const Strands queries = ring_tokens(options, options.q_len, groups.mesh, call.ring_index);
  call.parts = spans_of(queries);
  for (int owner = 0; owner < call.ring_degree; ++owner) {
    const Strands keys = ring_tokens(options, options.kv_len, groups.mesh, owner);
    call.blocks.push_back(visible_blocks(queries, keys, global_diagonal(options)));
    call.key_lengths.push_back(token_count(keys));
  }
  const auto& lengths = call.key_lengths;
  if (std::count(lengths.begin(), lengths.end(), lengths[0]) == call.ring_degree) {
    call.key_lengths.clear();
  }
  return call;
}

int step_owner(int ring_index, int step, int ring_degree) {
  return (ring_index + ring_degree - step % ring_degree) % ring_degree;
}

BackendInputs block_inputs(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const RingCall& call, const Block& block) {
  return {tokens_of(q, block.queries),
          tokens_of(k, block.keys),
          tokens_of(v, block.keys),
          {},
          call.scale,
          block.diagonal};
}

std::vector<int64_t> shape_at_owner(const at::Tensor& x, const RingCall& call, int owner) {
  std::vector<int64_t> shape = x.sizes().vec();
  if (!call.key_lengths.empty()) shape[1] = call.key_lengths[owner];
  return shape;
}

}  // namespace attncheck

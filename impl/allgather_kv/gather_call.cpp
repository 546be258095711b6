#include "impl/allgather_kv/gather_call.h"

#include <algorithm>

#include "impl/layouts/token_order.h"

namespace attncheck {
namespace {

// Where every query sees every key, their order says nothing.
TokenOrder any_order(int64_t count) {
  return {count == 0 ? Strands{} : Strands{{0, 1, count}}, {}};
}

Strands without_empty_ones(Strands strands) {
  std::erase_if(strands, [](const Strand& strand) { return strand.length == 0; });
  return strands;
}

// The keys of all ranks: runs make the whole sequence, stripes stay as the ranks hold them, since
// those of the queries are as wide.
TokenOrder keys_of_all(const Strands& held) {
  const bool runs = held.front().stride == 1;
  return runs ? in_order(held) : TokenOrder{without_empty_ones(held), {}};
}

Block without_keys_behind(Block block) {
  if (!block.diagonal) return block;
  block.keys.length = std::min(block.keys.length, *block.diagonal + block.queries.length);
  return block;
}

}  // namespace

GatherCall gather_call(const AttentionOptions& options, const MeshGroups& groups) {
  GatherCall call;
  call.backend = options.backend;
  call.scale = options.scale;
  call.convert_to_fp32 = options.convert_to_fp32;
  call.group = keep(groups.ring);
  const TokenSplit split = token_split(options, groups.mesh);
  Strands held;
  for (int rank = 0; rank < groups.mesh.ring; ++rank) {
    const Strands of_rank = held_tokens(split, options.kv_len, rank);
    call.key_lengths.push_back(token_count(of_rank));
    held.insert(held.end(), of_rank.begin(), of_rank.end());
  }
  const Strands own = held_tokens(split, options.q_len, groups.ring_index());
  const TokenOrder keys = options.causal ? keys_of_all(held) : any_order(options.kv_len);
  const Strands queries = (options.causal ? in_order(own) : any_order(token_count(own))).strands;
  call.keys = Reordering(keys.places);
  call.parts = spans_of(queries);
  for (const Block& block : visible_blocks(queries, keys.strands, global_diagonal(options))) {
    call.blocks.push_back(without_keys_behind(block));
  }
  return call;
}

}  // namespace attncheck

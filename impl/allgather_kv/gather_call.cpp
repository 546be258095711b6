#include "impl/allgather_kv/gather_call.h"

#include <algorithm>

#include "impl/layouts/block_masks.h"
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

Strands held_by_all(const AttentionOptions& options, const Mesh& mesh) {
  Strands held;
  for (int rank = 0; rank < mesh.ring; ++rank) {
    const Strands of_rank = held_tokens(token_split(options, mesh), options.kv_len, rank);
    held.insert(held.end(), of_rank.begin(), of_rank.end());
  }
  return held;
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

// The blocks of queries and keys, all in the order in which they are attended to, and what hides
// keys in them.
std::vector<Block> blocks_of(const Strands& queries, const Strands& keys,
                             const Visibility& visibility, const at::Tensor& columns) {
  std::vector<Block> blocks;
  for (const Block& block : visible_blocks(queries, keys, visibility)) {
    blocks.push_back(without_keys_behind(block));
    blocks.back().mask = mask_of_block(blocks.back(), columns);
  }
  return blocks;
}

}  // namespace

GatherCall gather_call(const AttentionOptions& options, const MeshGroups& groups) {
  GatherCall call;
  call.backend = options.backend;
  call.scale = options.scale;
  call.convert_to_fp32 = options.convert_to_fp32;
  call.group = keep(groups.ring);
  call.joint = options.joint;
  const Visibility visibility = visibility_of(options);
  const TokenSplit split = token_split(options, groups.mesh);
  for (int rank = 0; rank < groups.mesh.ring; ++rank) {
    call.key_lengths.push_back(token_count(held_tokens(split, options.kv_len, rank)));
  }
  const Strands held = held_by_all(options, groups.mesh);
  const Strands own = held_tokens(split, options.q_len, groups.ring_index());
  const int64_t joint = options.joint.tokens;
  const bool any = visibility.everything();
  const TokenOrder keys = any ? any_order(options.kv_len + joint) : keys_of_all(held);
  const Strands queries = (any ? any_order(token_count(own) + joint) : in_order(own)).strands;
  const std::vector<int64_t> columns =
      with_joint_keys(positions_of(any ? held : keys.strands), options);
  call.keys = Reordering(keys.places);
  const Strands cut = cut_at_documents(queries, visibility.documents);
  call.parts = spans_of(cut);
  call.blocks = blocks_of(cut, cut_at_documents(keys.strands, visibility.documents), visibility,
                          mask_columns(options.mask, columns));
  return call;
}

}  // namespace attncheck

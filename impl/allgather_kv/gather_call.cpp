#include "impl/allgather_kv/gather_call.h"

#include <algorithm>

#include "impl/layouts/block_masks.h"
#include "impl/layouts/token_order.h"

namespace attncheck {
namespace {

Strands without_empty_ones(Strands strands) {
  std::erase_if(strands, [](const Strand& strand) { return strand.length == 0; });
  return strands;
}

// The keys that the ranks hold, one after another, and how many each has.
struct HeldKeys {
  HeldKeys(const TokenSplit& split, int64_t kv_len) {
    for (int rank = 0; rank < split.ranks; ++rank) {
      const Strands of_rank = held_tokens(split, kv_len, rank);
      strands.insert(strands.end(), of_rank.begin(), of_rank.end());
      lengths.push_back(token_count(of_rank));
    }
  }

  Strands strands;
  std::vector<int64_t> lengths;
};

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
  const HeldKeys held(split, options.kv_len);
  call.key_lengths = held.lengths;
  const Strands own = held_tokens(split, options.q_len, groups.ring_index());
  const int64_t joint = options.joint.tokens;
  const bool any = visibility.everything();
  const TokenOrder keys =
      any ? TokenOrder{tokens_anywhere(options.kv_len + joint), {}} : keys_of_all(held.strands);
  const Strands queries = any ? tokens_anywhere(token_count(own) + joint) : in_order(own).strands;
  const std::vector<int64_t> columns =
      with_joint_keys(positions_of(any ? held.strands : keys.strands), options);
  call.keys = Reordering(keys.places);
  const Strands cut = cut_at_documents(queries, visibility.documents);
  call.parts = spans_of(cut);
  call.blocks = blocks_of(cut, cut_at_documents(keys.strands, visibility.documents), visibility,
                          mask_columns(options.mask, columns));
  return call;
}

}  // namespace attncheck

#include "impl/ring/ring_call.h"

#include <utility>

#include "impl/contract/dtypes.h"
#include "impl/layouts/block_masks.h"
#include "impl/layouts/token_order.h"
#include "impl/merges/span_sums.h"

namespace attncheck {
namespace {

// What a ring rank holds of `len` tokens, in the order in which it attends to them: that of the
// sequence, where places say anything.
Strands ring_tokens(const AttentionOptions& options, int64_t len, const Mesh& mesh, int index) {
  const Strands held = group_tokens(token_split(options, mesh), len, mesh, index);
  return visibility_of(options).everything() ? held : in_order(held).strands;
}

// Where every query sees every key, their order says nothing: one strand has them all, and the
// joint ones.
Strands strands_of(const Strands& tokens, const Visibility& visibility, int64_t joint = 0) {
  if (!visibility.everything()) return cut_at_documents(tokens, visibility.documents);
  return tokens_anywhere(token_count(tokens) + joint);
}

// The place of the first joint key among all keys, and of the first other one.
std::pair<int64_t, int64_t> first_keys(const AttentionOptions& options) {
  const bool in_front = options.joint.place == JointPlace::front;
  return {in_front ? 0 : options.kv_len, in_front ? options.joint.tokens : 0};
}

// The mask's columns of the keys that have a shard.
at::Tensor sharded_columns(const AttentionOptions& options) {
  const at::Tensor& mask = options.mask;
  if (!mask.defined() || options.joint.tokens == 0) return mask;
  return mask.narrow(-1, first_keys(options).second, options.kv_len);
}

Block joint_block(const AttentionOptions& options, const Strands& queries) {
  Block block{{0, token_count(queries)}, {0, options.joint.tokens}, {}, {}, {}};
  if (options.joint.tokens == 0 || !options.mask.defined()) return block;
  const at::Tensor columns =
      options.mask.narrow(-1, first_keys(options).first, options.joint.tokens);
  block.mask = mask_of_block(block, columns);
  return block;
}

std::vector<Block> blocks_of(const Strands& queries, const Strands& tokens,
                             const Visibility& visibility, const at::Tensor& mask) {
  std::vector<Block> blocks = visible_blocks(queries, strands_of(tokens, visibility), visibility);
  const at::Tensor columns = mask_columns(mask, positions_of(tokens));
  for (Block& block : blocks) block.mask = mask_of_block(block, columns);
  return blocks;
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
  const Visibility visibility = visibility_of(options);
  const Strands queries =
      strands_of(ring_tokens(options, options.q_len, groups.mesh, call.ring_index), visibility,
                 options.joint.tokens);
  const at::Tensor mask = sharded_columns(options);
  call.joint = options.joint;
  call.joint_block = joint_block(options, queries);
  call.parts = spans_of(queries);
  for (int owner = 0; owner < call.ring_degree; ++owner) {
    const Strands keys = ring_tokens(options, options.kv_len, groups.mesh, owner);
    call.blocks.push_back(blocks_of(queries, keys, visibility, mask));
    call.key_lengths.push_back(token_count(keys));
  }
  call.key_lengths = unless_alike(std::move(call.key_lengths));
  return call;
}

int step_owner(int ring_index, int step, int ring_degree) {
  return (ring_index + ring_degree - step % ring_degree) % ring_degree;
}

std::vector<int64_t> shape_at_owner(const at::Tensor& x, const RingCall& call, int owner) {
  std::vector<int64_t> shape = x.sizes().vec();
  if (!call.key_lengths.empty()) shape[1] = call.key_lengths[owner];
  return shape;
}

}  // namespace attncheck

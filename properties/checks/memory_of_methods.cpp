#include "properties/checks/memory_of_methods.h"

#include <algorithm>

#include <c10/core/ScalarType.h>

#include "impl/contract/dtypes.h"
#include "properties/token_positions.h"
#include "reference/traffic.h"

namespace attncheck {
namespace {

// What a rank's part of the work takes, in bytes; the longest shards of the mesh count for all.
struct ShardBytes {
  int64_t queries = 0;   // q and out of a block, at the width of the sums
  int64_t rows = 0;      // its log-sum-exp
  int64_t keys = 0;      // k and v of a block, as they travel
  int64_t key_sums = 0;  // their gradients, at the width of the sums
};

using PositionsOf = std::vector<int64_t> (*)(const Case&, int);

int64_t longest(const Case& c, PositionsOf positions) {
  int64_t length = 0;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    length = std::max(length, static_cast<int64_t>(positions(c, rank).size()));
  }
  return length;
}

// A kernel knows of a window and of documents by a mask of queries and keys.
void add_mask_of_places(Problem& p) {
  if (p.mask == Mask::none) p.mask = Mask::boolean;
  if (p.mask_axes != MaskAxes::bhqk) p.mask_axes = MaskAxes::b1qk;
}

}  // namespace

Problem block_of_method(const Case& c, Method method) {
  Problem block = c.problem;
  block.q_len = longest(c, q_positions) * c.mesh.ulysses;
  if (method != Method::allgather_kv) {
    block.kv_len = longest(c, kv_positions) * c.mesh.ulysses;
  }
  const reference::HeadShare share = reference::head_share(c.problem, c.mesh.ulysses);
  block.heads = share.heads;
  block.kv_heads = share.kv_heads;
  block.scale = effective_scale(c.problem);
  block.layout = Layout::contiguous;
  block.shards.clear();
  if (block.window || !block.documents.empty()) add_mask_of_places(block);
  block.window.reset();
  block.documents.clear();
  block.joint = Joint{};
  return block;
}

namespace {

// A mask of the queries of a block and all keys: as it is given or made, sent and received, joined,
// with its columns in order, and with what a window hides.
int64_t mask_bytes(const Case& c, Method method) {
  const Problem p = block_of_method(c, method);
  if (p.mask == Mask::none) return 0;
  constexpr int64_t kCopies = 6;
  const bool by_query = p.mask_axes == MaskAxes::bhqk || p.mask_axes == MaskAxes::b1qk;
  const int64_t heads = p.mask_axes == MaskAxes::bhqk ? p.heads : 1;
  const int64_t element = p.mask == Mask::boolean ? 1 : c10::elementSize(scalar_type(p.dtype));
  return kCopies * p.batch * heads * (by_query ? p.q_len : 1) * c.problem.kv_len * element;
}

// Whether the ranks of a Ulysses group attend to more heads together than there are.
bool fills_slots(const Case& c) {
  const reference::HeadShare share = reference::head_share(c.problem, c.mesh.ulysses);
  return share.heads * c.mesh.ulysses != c.problem.heads ||
         share.kv_heads * c.mesh.ulysses != c.problem.kv_heads;
}

ShardBytes shard_bytes(const Case& c, Method method) {
  const Problem p = block_of_method(c, method);
  const at::ScalarType io = scalar_type(p.dtype), lse = lse_scalar_type(io);
  const int64_t io_bytes = c10::elementSize(io), lse_bytes = c10::elementSize(lse);
  const int64_t sum_bytes = c.convert_to_fp32 ? lse_bytes : io_bytes;
  const int64_t width = p.head_dim + p.v_head_dim;
  ShardBytes bytes;
  bytes.queries = p.batch * p.q_len * p.heads * width * std::max(sum_bytes, io_bytes);
  bytes.rows = p.batch * p.q_len * p.heads * lse_bytes;
  bytes.keys = p.batch * p.kv_len * p.kv_heads * width * io_bytes;
  bytes.key_sums = p.batch * p.kv_len * p.kv_heads * width * sum_bytes;
  return bytes;
}

// The tokens that the ranks of a Ulysses group attend with, joint ones aside, rank after rank.
std::vector<int64_t> group_tokens(const Case& c, int rank, int64_t length, PositionsOf positions) {
  std::vector<int64_t> held;
  for (const int member : c.mesh.ulysses_members(rank)) {
    for (const int64_t position : positions(c, member)) {
      if (!is_joint(c.problem, length, position)) held.push_back(position);
    }
  }
  return held;
}

// Whether what every Ulysses group attends with is so, its queries and its keys.
template <typename Condition>
bool every_group(const Case& c, const Condition& holds) {
  const Problem& p = c.problem;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    if (!holds(group_tokens(c, rank, p.q_len, q_positions))) return false;
    if (!holds(group_tokens(c, rank, p.kv_len, kv_positions))) return false;
  }
  return true;
}

// Neighbours, or as far apart as striped tokens.
bool is_one_run(const Case& c, std::vector<int64_t> held) {
  std::sort(held.begin(), held.end());
  const auto all_apart_by = [&](int64_t step) {
    return std::adjacent_find(held.begin(), held.end(),
                              [step](int64_t a, int64_t b) { return b - a != step; }) == held.end();
  };
  return all_apart_by(1) || all_apart_by(c.mesh.world());
}

bool has_places(const Problem& p) {
  return p.causal || p.window || !p.documents.empty();
}

// Whether a shard of keys is attended to in several blocks: under a window or documents, and
// causally where a shard of keys or of queries is not one run of tokens, as zigzag's are not.
bool is_cut(const Case& c) {
  const Problem& p = c.problem;
  if (p.window || !p.documents.empty()) return true;
  return p.causal && !every_group(c, [&](const auto& held) { return is_one_run(c, held); });
}

// Whether a Ulysses group has to put its tokens in order, since places say what is seen.
bool is_put_in_order(const Case& c) {
  return has_places(c.problem) && !every_group(c, [](const std::vector<int64_t>& held) {
           return std::is_sorted(held.begin(), held.end());
         });
}

// An order and its inverse, a long for each token of a block; where keys are gathered, that of all
// of them as well.
int64_t order_bytes(const Case& c, Method method) {
  const Problem p = block_of_method(c, method);
  const bool gathered = method == Method::allgather_kv && has_places(c.problem);
  const int64_t tokens = is_put_in_order(c) ? p.q_len + p.kv_len : gathered ? p.kv_len : 0;
  return 2 * static_cast<int64_t>(sizeof(int64_t)) * tokens;
}

// How many blocks of keys, and of their gradients at the width of the sums.
struct KeyBlocks {
  int64_t keys = 0, sums = 0;
};

// By send/receive: the block at hand and the one that is coming, twice for their gradients (the
// block's own are the kernel's, once more if they are widened, and the sum so far where a shard of
// keys is cut into several blocks). By all-gather: the keys of all ranks, and
// their gradients before and after they are put together. Where one block has all of these: as they
// came and in order, and the gradients likewise.
KeyBlocks key_blocks(const Case& c, Method method, bool widened) {
  const int64_t ring = c.mesh.ring;
  const int64_t cut = is_cut(c) ? 1 : 0;
  if (ring == 1) return {};
  if (method == Method::allgather_kv) return {2, 3 + cut};
  if (c.rotate == Rotate::allgather) return {ring, 3 * ring};
  return {2, 2 + (widened ? 1 : 0) + cut};
}

}  // namespace

int64_t bytes_of_method(const Case& c, Method method) {
  const ShardBytes bytes = shard_bytes(c, method);
  const auto [blocks, sums] = key_blocks(c, method, bytes.key_sums != bytes.keys);
  const bool joint = c.problem.joint.tokens > 0;
  // With more heads or without joint tokens, in pieces, received, joined, in order.
  const int64_t copies = 3 + (fills_slots(c) || joint ? 1 : 0) + (is_put_in_order(c) ? 1 : 0);
  const int64_t exchanged = c.mesh.ulysses > 1 ? copies : 0;
  const int64_t put_together = joint ? 2 : 0;  // the gradients of joint and other keys
  return blocks * bytes.keys + (sums + put_together) * bytes.key_sums +
         4 * (bytes.queries + bytes.rows) + exchanged * (bytes.queries + bytes.keys + bytes.rows) +
         mask_bytes(c, method) + order_bytes(c, method);
}

}  // namespace attncheck

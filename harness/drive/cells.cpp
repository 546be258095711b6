#include "harness/drive/cells.h"

#include <algorithm>

namespace attncheck {
namespace {

// S_local = H = D: a tensor that was transposed by mistake still has the right shape.
bool all_equal(const Case& c) {
  const Problem& p = c.problem;
  return p.heads >= 2 && p.heads == p.head_dim && p.head_dim == p.v_head_dim &&
         p.q_len == p.heads * c.mesh.world() && p.kv_len == p.q_len && p.kv_heads == p.heads;
}

bool is_causal(const Case& c, Layout layout) {
  return c.problem.causal && c.problem.layout == layout && c.mesh.world() > 1;
}

bool has_rank_without_tokens(const Case& c) {
  const auto& shards = c.problem.shards;
  return std::find(shards.begin(), shards.end(), 0) != shards.end();
}

std::vector<Cell> make_cells() {
  return {
      {"ring degree >= 3", true, [](const Case& c) { return c.mesh.ring >= 3; }},
      {"Ulysses degree >= 3", true, [](const Case& c) { return c.mesh.ulysses >= 3; }},
      {"both degrees >= 2", true,
       [](const Case& c) { return c.mesh.ring >= 2 && c.mesh.ulysses >= 2; }},
      {"q_len != kv_len", false, [](const Case& c) { return c.problem.q_len != c.problem.kv_len; }},
      {"S_local = H = D", true, all_equal},
      {"views", false, [](const Case& c) { return c.problem.view != View::none; }},
      {"large logits", false, [](const Case& c) { return c.problem.data == Data::large; }},
      {"zigzag, causal", false, [](const Case& c) { return is_causal(c, Layout::zigzag); }},
      {"striped, causal", false, [](const Case& c) { return is_causal(c, Layout::striped); }},
      {"a rank without tokens", false, has_rank_without_tokens},
      {"a mask", false, [](const Case& c) { return c.problem.mask != Mask::none; }},
      {"a window", false, [](const Case& c) { return c.problem.window.has_value(); }},
      {"documents", false, [](const Case& c) { return c.problem.documents.size() > 1; }},
      {"joint tokens", false, [](const Case& c) { return c.problem.joint.tokens > 0; }},
  };
}

}  // namespace

const std::vector<Cell>& all_cells() {
  static const std::vector<Cell> cells = make_cells();
  return cells;
}

int mesh_cells_of(const Mesh& mesh) {
  Case c;
  c.mesh = mesh;
  int count = 0;
  for (size_t i = 0; i < kMeshCells; ++i) count += all_cells()[i].contains(c) ? 1 : 0;
  return count;
}

}  // namespace attncheck

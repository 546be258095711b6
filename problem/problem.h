#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace attncheck {

enum class DType { f64, f32, bf16, f16 };

// Where the causal diagonal starts when q_len != kv_len: at the first key (top-left), or so that
// the last query sees the last key (bottom-right, as flash-attn aligns).
enum class Align { top_left, bottom_right };

enum class Mask { none, boolean, additive };
// The axes that a mask has: (B, Skv), (B, 1, 1, Skv), (B, 1, Sq, Skv) or (B, H, Sq, Skv). It says
// the same to every head and query that it has no axis for.
enum class MaskAxes { bhqk, b1qk, b11k, bk };
// Where the tokens stand that every rank holds (text, say), beside its shard of the others.
enum class JointPlace { none, front, rear };
struct Joint {
  JointPlace place = JointPlace::none;
  int64_t tokens = 0;  // of the queries, and of the keys; 0 where there are none
  bool operator==(const Joint&) const = default;
};

enum class Layout { contiguous, zigzag, striped };
enum class Data { normal, large, offset, selector, tagged, low };

// How q, k, v and the cotangents lie in memory: contiguous; at a storage offset; as a permuted view
// of (B, H, S, D); with stride 0 along the batch.
enum class View { none, offset, permuted, expanded };

// What attention to compute. Sizes are global: those of the whole sequence, not of a rank's shard.
struct Problem {
  int64_t batch = 1;
  int64_t q_len = 1;
  int64_t kv_len = 1;
  int64_t heads = 1;
  int64_t kv_heads = 1;  // divides heads; query head h uses KV head h / (heads / kv_heads)
  int64_t head_dim = 1;
  int64_t v_head_dim = 1;
  DType dtype = DType::f64;
  bool causal = false;
  Align align = Align::top_left;
  Mask mask = Mask::none;
  MaskAxes mask_axes = MaskAxes::bhqk;
  // A query sees the keys up to so many places before and, unless causal, behind its own, which the
  // alignment gives; absent: however far.
  std::optional<int64_t> window;
  // Lengths of the documents that the sequence is packed from: a query sees keys of its own alone.
  // They add up to q_len and to kv_len. Empty: one document.
  std::vector<int64_t> documents;
  std::optional<double> scale;  // 1/sqrt(head_dim) when absent
  Layout layout = Layout::contiguous;
  // The first or the last tokens of q_len and of kv_len; the layout says who holds the others.
  Joint joint;
  // Lengths of the ranks' contiguous shards: of q, of kv or of both, whichever they add up to.
  // Without them shards are near-equal: the first ones a token longer.
  std::vector<int64_t> shards;
  Data data = Data::normal;
  View view = View::none;

  bool operator==(const Problem&) const = default;
};

// The factor on q.k: `scale` where given, else 1/sqrt(head_dim).
double effective_scale(const Problem& problem);

// A query at position p sees a key at position t iff t <= p + diagonal; absent when not causal.
// Top-left: 0. Bottom-right: kv_len - q_len.
std::optional<int64_t> causal_diagonal(const Problem& problem);

// A query at position p sees a key at position t only if lower <= t - p <= upper; absent: no limit.
struct Band {
  std::optional<int64_t> lower, upper;
};

// Causality and window together.
Band visible_band(const Problem& problem);

// Whether the documents, if there are any, add up to both lengths.
bool documents_fit(const Problem& problem);

// Whether every query sees every key, as far as their places say: not causal, no window, one
// document.
bool sees_every_place(const Problem& problem);

}  // namespace attncheck

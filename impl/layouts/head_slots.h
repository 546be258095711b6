#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace attncheck {

// How heads are laid into slots, of which every rank of a Ulysses group gets as many: query heads
// in their order, with slots of zeros behind them; KV heads repeated, so that each rank holds those
// of its own query heads, in one and the same grouping.
//
// With n = ceil(H / U) query slots a rank and g = gcd(n, H / Hkv), a KV slot serves g query slots:
// slots of g never straddle two KV heads, as g divides both. Where U divides H and Hkv, nothing is
// added; with Hkv < U, U a multiple of Hkv, each KV head fills U / Hkv slots.
class HeadSlots {
 public:
  // `kv_heads` divides `heads`.
  HeadSlots(int64_t heads, int64_t kv_heads, int64_t degree);

  int64_t query_slots() const { return query_slots_; }  // of the whole group
  int64_t kv_slots() const { return query_slots_ / share_; }
  int64_t kv_repeats() const { return heads_ / kv_heads_ / share_; }  // slots of a KV head
  bool adds_nothing() const { return query_slots_ == heads_ && kv_slots() == kv_heads_; }

  // x (B, S, H, ...) of q, out, or the log-sum-exp -> (B, S, query_slots, ...), and back: what
  // stands in the added slots is dropped.
  at::Tensor queries(const at::Tensor& x) const;
  at::Tensor from_queries(const at::Tensor& slots) const;

  // x (B, S, Hkv, D) of k or v -> (B, S, kv_slots, D), and the gradient of that: the sum over the
  // slots of a KV head.
  at::Tensor keys(const at::Tensor& x) const;
  at::Tensor from_keys(const at::Tensor& slots) const;

 private:
  int64_t heads_, kv_heads_, query_slots_, share_;
};

}  // namespace attncheck

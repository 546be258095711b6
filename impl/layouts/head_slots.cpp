#include "impl/layouts/head_slots.h"

#include <numeric>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>

namespace attncheck {
namespace {

constexpr int64_t kHeads = 2;  // axis of (B, S, H, ...)

at::Tensor with_zeros_behind(const at::Tensor& x, int64_t slots) {
  if (x.size(kHeads) == slots) return x;
  std::vector<int64_t> pad(2 * (x.dim() - kHeads), 0);  // the last axis first, a pair for each
  pad.back() = slots - x.size(kHeads);
  return at::constant_pad_nd(x, pad, 0);
}

at::Tensor without_slots_behind(const at::Tensor& x, int64_t heads) {
  return x.size(kHeads) == heads ? x : x.narrow(kHeads, 0, heads);
}

}  // namespace

HeadSlots::HeadSlots(int64_t heads, int64_t kv_heads, int64_t degree)
    : heads_(heads), kv_heads_(kv_heads) {
  const int64_t of_a_rank = (heads + degree - 1) / degree;
  query_slots_ = of_a_rank * degree;
  share_ = std::gcd(of_a_rank, heads / kv_heads);
}

at::Tensor HeadSlots::queries(const at::Tensor& x) const {
  return with_zeros_behind(x, query_slots_);
}

at::Tensor HeadSlots::from_queries(const at::Tensor& slots) const {
  return without_slots_behind(slots, heads_);
}

at::Tensor HeadSlots::keys(const at::Tensor& x) const {
  const int64_t repeats = kv_repeats();
  if (repeats == 1) return with_zeros_behind(x, kv_slots());
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.insert(sizes.begin() + kHeads + 1, repeats);
  return with_zeros_behind(x.unsqueeze(kHeads + 1).expand(sizes).flatten(kHeads, kHeads + 1),
                           kv_slots());
}

at::Tensor HeadSlots::from_keys(const at::Tensor& slots) const {
  const int64_t repeats = kv_repeats();
  const at::Tensor used = without_slots_behind(slots, kv_heads_ * repeats);
  if (repeats == 1) return used;
  return used.unflatten(kHeads, {kv_heads_, repeats}).sum(kHeads + 1);
}

}  // namespace attncheck

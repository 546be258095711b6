#include "mutants/cached_sizes.h"

#include <map>
#include <numeric>
#include <tuple>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/collectives/exchange.h"
#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/head_trades.h"
#include "mutants/pieces.h"

namespace attncheck {
namespace {

// Of the shards of every rank of the group.
struct Lengths {
  std::vector<int64_t> q, kv;
};

Lengths exchanged_lengths(const at::Tensor& q, const at::Tensor& k, c10d::ProcessGroup& group) {
  const at::Tensor own =
      at::tensor({q.size(kSequenceAxis), k.size(kSequenceAxis)}, q.options().dtype(at::kLong));
  const at::Tensor all = all_gather(own, group, 0).cpu();
  Lengths lengths;
  for (int64_t i = 0; i < all.numel(); ++i) {
    (i % 2 == 0 ? lengths.q : lengths.kv).push_back(all[i].item<int64_t>());
  }
  return lengths;
}

// Those of the first call from the same place; its own, a rank knows.
Lengths kept_lengths(const at::Tensor& q, const at::Tensor& k, c10d::ProcessGroup& group) {
  static thread_local std::map<std::tuple<const void*, int64_t, int64_t>, Lengths> kept;
  const int64_t rank = group.getRank();
  const std::tuple key{&group, rank * q.size(kSequenceAxis), rank * k.size(kSequenceAxis)};
  auto found = kept.find(key);
  if (found == kept.end()) found = kept.emplace(key, exchanged_lengths(q, k, group)).first;
  Lengths lengths = found->second;
  lengths.q[rank] = q.size(kSequenceAxis);
  lengths.kv[rank] = k.size(kSequenceAxis);
  return lengths;
}

// (B, S, H, D) -> (B, sum of the lengths, H/U, D).
at::Tensor to_heads_by_lengths(const at::Tensor& x, const std::vector<int64_t>& lengths,
                               c10d::ProcessGroup& group) {
  at::Tensor pieces = in_pieces(x, group.getSize(), kHeadsAxis).flatten();
  const int64_t batch = x.size(0), heads = x.size(kHeadsAxis) / group.getSize();
  std::vector<int64_t> splits, equal_splits;
  for (const int64_t length : lengths) splits.push_back(batch * length * heads * x.size(3));
  at::Tensor received =
      at::empty({std::accumulate(splits.begin(), splits.end(), int64_t{0})}, x.options());
  group.alltoall_base(received, pieces, splits, equal_splits)->wait();
  std::vector<at::Tensor> parts = received.split_with_sizes(splits);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = parts[i].view({batch, lengths[i], heads, x.size(3)});
  }
  return at::cat(parts, kSequenceAxis);
}

void trades_by_kept_lengths(HeadTrades& trades, const MeshGroups& groups) {
  trades.to_heads = [group = groups.ulysses](const std::vector<at::Tensor>& qkv) {
    const Lengths lengths = kept_lengths(qkv[0], qkv[1], *group);
    return std::vector<at::Tensor>{to_heads_by_lengths(qkv[0], lengths.q, *group),
                                   to_heads_by_lengths(qkv[1], lengths.kv, *group),
                                   to_heads_by_lengths(qkv[2], lengths.kv, *group)};
  };
}

}  // namespace

Mutant caches_the_lengths_by_rank() {
  return make_mutant(
      {.name = "C10",
       .source = "cache-dit PR 761",
       .fault = "the lengths are cached by rank, so that rank 0 skips their second exchange",
       .property = "changing_shapes_in_one_group_works",
       .smallest = "mesh=1x2 q=2 h=2 d=1"},
      implementation_of("trades_by_kept_lengths", trading_parent(trades_by_kept_lengths)));
}

}  // namespace attncheck

#include "impl/collectives/exchange.h"

#include <algorithm>
#include <numeric>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/collectives/message_batch.h"

namespace attncheck {
namespace {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

void check_axes(const at::Tensor& x, int ranks, int64_t scatter_dim, int64_t gather_dim) {
  TORCH_CHECK(scatter_dim != gather_dim, "all_to_all scatters and gathers along the same axis, ",
              scatter_dim);
  TORCH_CHECK(x.size(scatter_dim) % ranks == 0, "all_to_all: ", ranks,
              " ranks do not divide the size ", x.size(scatter_dim), " of axis ", scatter_dim,
              " of ", x.sizes());
}

// 0, 1, ..., rank - 1 without `first`, and `first` before them.
std::vector<int64_t> moved_first(int64_t rank, int64_t first) {
  std::vector<int64_t> order{first};
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (axis != first) order.push_back(axis);
  }
  return order;
}

// (..., n, ...) -> (ranks, ..., n / ranks, ...), contiguous.
at::Tensor in_pieces(const at::Tensor& x, int64_t ranks, int64_t dim) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes[dim] /= ranks;
  std::vector<int64_t> split = sizes;
  split.insert(split.begin() + dim, ranks);
  const at::Tensor ordered = x.view(split).permute(moved_first(x.dim() + 1, dim));
  if (ordered.is_contiguous()) return ordered;
  return at::empty(ordered.sizes(), x.options()).copy_(ordered);
}

// (ranks, ..., n, ...) -> (..., ranks n, ...); `dim` counts the axes of the result.
at::Tensor joined(const at::Tensor& pieces, int64_t dim) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  std::vector<int64_t> sizes = pieces.sizes().slice(1).vec();
  sizes[dim] *= pieces.size(0);
  std::vector<int64_t> order(pieces.dim());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + dim + 1);
  return pieces.permute(order).reshape(sizes);
}

Lengths lengths_or(const Lengths& lengths, int64_t each, int ranks) {
  return lengths.empty() ? Lengths(ranks, each) : lengths;
}

// The shape of x with axis `dim` as long as on each rank.
std::vector<Sizes> shapes_by_rank(const at::Tensor& x, int64_t dim, const Lengths& lengths) {
  std::vector<Sizes> shapes(lengths.size(), x.sizes().vec());
  for (size_t i = 0; i < lengths.size(); ++i) shapes[i][dim] = lengths[i];
  return shapes;
}

// pieces (ranks, ...): piece i to rank i; what arrives, by rank.
Posted<at::Tensor> post_equal_trade(at::Tensor pieces, c10d::ProcessGroup& group) {
  at::Tensor received = at::empty(pieces.sizes(), pieces.options());
  std::vector<int64_t> equal_splits;
  WorkPtr work = group.alltoall_base(received, pieces, equal_splits, equal_splits);
  return Posted<at::Tensor>([work, pieces = std::move(pieces), received] {
    work->wait();
    return received;
  });
}

// Piece i to rank i; what arrives, end to end.
Posted<at::Tensor> post_packed_trade(const std::vector<at::Tensor>& pieces,
                                     const std::vector<Sizes>& arriving,
                                     c10d::ProcessGroup& group) {
  std::vector<int64_t> sends, receives;
  for (const auto& piece : pieces) sends.push_back(piece.numel());
  for (const auto& shape : arriving) receives.push_back(element_count(shape));
  at::Tensor sent = packed(pieces);
  at::Tensor received =
      at::empty({std::accumulate(receives.begin(), receives.end(), int64_t{0})}, sent.options());
  WorkPtr work = group.alltoall_base(received, sent, receives, sends);
  return Posted<at::Tensor>([work, sent, received] {
    work->wait();
    return received;
  });
}

int modulo(int value, int ranks) {
  return (value % ranks + ranks) % ranks;
}

}  // namespace

KeptGroup keep(const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  return {group.get(), [group](c10d::ProcessGroup*) {}};
}

int group_size(c10d::ProcessGroup& group) {
  return group.getSize();
}

int group_rank(c10d::ProcessGroup& group) {
  return group.getRank();
}

at::Tensor all_to_all(const at::Tensor& x, c10d::ProcessGroup& group, int64_t scatter_dim,
                      int64_t gather_dim) {
  return post_all_to_all(x, group, scatter_dim, gather_dim).wait();
}

Posted<at::Tensor> post_all_to_all(const at::Tensor& x, c10d::ProcessGroup& group,
                                   int64_t scatter_dim, int64_t gather_dim) {
  const int ranks = group.getSize();
  check_axes(x, ranks, scatter_dim, gather_dim);
  if (ranks == 1) return Posted<at::Tensor>([x] { return x; });
  Posted<at::Tensor> trade = post_equal_trade(in_pieces(x, ranks, scatter_dim), group);
  return Posted<at::Tensor>([trade = std::move(trade), gather_dim]() mutable {
    return joined(trade.wait(), gather_dim);
  });
}

Posted<at::Tensor> post_all_to_all(const at::Tensor& x, c10d::ProcessGroup& group,
                                   int64_t scatter_dim, int64_t gather_dim,
                                   const Lengths& scattered, const Lengths& gathered) {
  const int ranks = group.getSize();
  if (ranks == 1 || (scattered.empty() && gathered.empty())) {
    return post_all_to_all(x, group, scatter_dim, gather_dim);
  }
  if (scattered.empty()) check_axes(x, ranks, scatter_dim, gather_dim);
  const Lengths sent = lengths_or(scattered, x.size(scatter_dim) / ranks, ranks);
  std::vector<Sizes> arriving =
      shapes_by_rank(x, gather_dim, lengths_or(gathered, x.size(gather_dim), ranks));
  for (Sizes& shape : arriving) shape[scatter_dim] = sent[group.getRank()];
  auto trade = post_trade(x.split_with_sizes(sent, scatter_dim), std::move(arriving), group);
  return Posted<at::Tensor>([trade = std::move(trade), gather_dim]() mutable {
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    return at::cat(trade.wait(), gather_dim);
  });
}

Posted<std::vector<at::Tensor>> post_trade(const std::vector<at::Tensor>& pieces,
                                           std::vector<Sizes> arriving, c10d::ProcessGroup& group) {
  auto trade = post_packed_trade(pieces, arriving, group);
  return Posted<std::vector<at::Tensor>>(
      [trade = std::move(trade), arriving = std::move(arriving)]() mutable {
        return unpacked(trade.wait(), arriving);
      });
}

at::Tensor all_gather(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim) {
  return post_joined_gather(x, group, dim, {}).wait();
}

Posted<at::Tensor> post_all_gather(const at::Tensor& x, c10d::ProcessGroup& group) {
  const int ranks = group.getSize();
  if (ranks == 1) return Posted<at::Tensor>([x] { return x.unsqueeze(0); });
  at::Tensor own = x.contiguous();
  std::vector<int64_t> sizes = own.sizes().vec();
  sizes[0] *= ranks;
  at::Tensor all = at::empty(sizes, own.options());
  WorkPtr work = group._allgather_base(all, own);
  return Posted<at::Tensor>([work, own, all, ranks] {
    work->wait();
    std::vector<int64_t> by_rank = own.sizes().vec();
    by_rank.insert(by_rank.begin(), ranks);
    return all.view(by_rank);
  });
}

Posted<std::vector<at::Tensor>> post_all_gather(const at::Tensor& x, c10d::ProcessGroup& group,
                                                int64_t dim, const Lengths& lengths) {
  if (group.getSize() > 1 && !lengths.empty()) {
    return post_trade(std::vector<at::Tensor>(lengths.size(), x), shapes_by_rank(x, dim, lengths),
                      group);
  }
  return Posted<std::vector<at::Tensor>>(
      [all = post_all_gather(x, group)]() mutable { return all.wait().unbind(0); });
}

Posted<at::Tensor> post_joined_gather(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim,
                                      const Lengths& lengths) {
  if (group.getSize() == 1) return Posted<at::Tensor>([x] { return x; });
  if (lengths.empty()) {
    return Posted<at::Tensor>(
        [all = post_all_gather(x, group), dim]() mutable { return joined(all.wait(), dim); });
  }
  return Posted<at::Tensor>([pieces = post_all_gather(x, group, dim, lengths), dim]() mutable {
    const at::AutoDispatchBelowADInplaceOrView no_autograd;
    return at::cat(pieces.wait(), dim);
  });
}

at::Tensor reduce_scatter(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim) {
  const int ranks = group.getSize();
  TORCH_CHECK(x.size(dim) % ranks == 0, "reduce_scatter: ", ranks, " ranks do not divide the size ",
              x.size(dim), " of axis ", dim, " of ", x.sizes());
  if (ranks == 1) return x;
  return post_equal_trade(in_pieces(x, ranks, dim), group).wait().sum(0);
}

at::Tensor reduce_scatter(const std::vector<at::Tensor>& by_rank, c10d::ProcessGroup& group) {
  if (by_rank.size() == 1) return by_rank.front();
  const at::Tensor& own = by_rank.at(group.getRank());
  const bool alike = std::all_of(by_rank.begin(), by_rank.end(),
                                 [&](const at::Tensor& x) { return x.sizes() == own.sizes(); });
  if (alike) return reduce_scatter(at::stack(by_rank), group, 0).squeeze(0);
  const std::vector<Sizes> arriving(by_rank.size(), own.sizes().vec());
  Sizes shape = own.sizes().vec();
  shape.insert(shape.begin(), static_cast<int64_t>(by_rank.size()));
  return post_packed_trade(by_rank, arriving, group).wait().view(shape).sum(0);
}

std::vector<at::Tensor> shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group, int hops,
                              int tag) {
  return post_shift(std::move(xs), group, hops, tag).wait();
}

Posted<std::vector<at::Tensor>> post_shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group,
                                           int hops, int tag, const std::vector<Sizes>& arriving) {
  using Result = Posted<std::vector<at::Tensor>>;
  const int ranks = group.getSize(), rank = group.getRank();
  if (modulo(hops, ranks) == 0) return Result([xs = std::move(xs)] { return xs; });
  std::vector<at::Tensor> received;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i].is_contiguous()) xs[i] = xs[i].contiguous();
    received.push_back(at::empty(arriving.empty() ? xs[i].sizes() : arriving[i], xs[i].options()));
  }
  MessageBatch batch(group, xs.empty() ? c10::DeviceType::CPU : xs.front().device().type());
  for (size_t i = 0; i < xs.size(); ++i) {
    batch.receive(received[i], modulo(rank - hops, ranks), tag + i);
  }
  for (size_t i = 0; i < xs.size(); ++i) batch.send(xs[i], modulo(rank + hops, ranks), tag + i);
  return Result([xs = std::move(xs), received = std::move(received), works = batch.end()] {
    for (const auto& work : works) work->wait();
    return received;
  });
}

Posted<std::vector<at::Tensor>> post_rotation(const std::vector<at::Tensor>& xs,
                                              c10d::ProcessGroup& group, int hops,
                                              const std::vector<Sizes>& arriving) {
  using Result = Posted<std::vector<at::Tensor>>;
  const int ranks = group.getSize(), rank = group.getRank();
  const int to = modulo(rank + hops, ranks), from = modulo(rank - hops, ranks);
  if (to == rank) return Result([xs] { return xs; });
  std::vector<Posted<std::vector<at::Tensor>>> trades;
  for (size_t i = 0; i < xs.size(); ++i) {
    std::vector<at::Tensor> pieces(ranks, xs[i].narrow(0, 0, 0));
    std::vector<Sizes> shapes(ranks, Sizes{0});
    pieces[to] = xs[i];
    shapes[from] = arriving.empty() ? xs[i].sizes().vec() : arriving[i];
    trades.push_back(post_trade(pieces, std::move(shapes), group));
  }
  return Result([trades = std::move(trades), from]() mutable {
    std::vector<at::Tensor> received;
    for (auto& trade : trades) received.push_back(trade.wait()[from]);
    return received;
  });
}

}  // namespace attncheck

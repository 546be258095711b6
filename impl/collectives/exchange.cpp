#include "impl/collectives/exchange.h"

#include <algorithm>
#include <numeric>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

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

// pieces (ranks, ...): piece i to rank i; what arrives, by rank.
Posted<at::Tensor> post_trade(at::Tensor pieces, c10d::ProcessGroup& group) {
  at::Tensor received = at::empty(pieces.sizes(), pieces.options());
  std::vector<int64_t> equal_splits;
  WorkPtr work = group.alltoall_base(received, pieces, equal_splits, equal_splits);
  return Posted<at::Tensor>([work, pieces = std::move(pieces), received] {
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
  Posted<at::Tensor> trade = post_trade(in_pieces(x, ranks, scatter_dim), group);
  return Posted<at::Tensor>([trade = std::move(trade), gather_dim]() mutable {
    return joined(trade.wait(), gather_dim);
  });
}

at::Tensor all_gather(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim) {
  if (group.getSize() == 1) return x;
  return joined(post_all_gather(x, group).wait(), dim);
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

at::Tensor reduce_scatter(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim) {
  const int ranks = group.getSize();
  TORCH_CHECK(x.size(dim) % ranks == 0, "reduce_scatter: ", ranks, " ranks do not divide the size ",
              x.size(dim), " of axis ", dim, " of ", x.sizes());
  if (ranks == 1) return x;
  return post_trade(in_pieces(x, ranks, dim), group).wait().sum(0);
}

std::vector<at::Tensor> shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group, int hops,
                              int tag) {
  return post_shift(std::move(xs), group, hops, tag).wait();
}

Posted<std::vector<at::Tensor>> post_shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group,
                                           int hops, int tag) {
  using Result = Posted<std::vector<at::Tensor>>;
  const int ranks = group.getSize(), rank = group.getRank();
  if (modulo(hops, ranks) == 0) return Result([xs = std::move(xs)] { return xs; });
  std::vector<at::Tensor> received;
  std::vector<WorkPtr> works;
  for (auto& x : xs) {
    if (!x.is_contiguous()) x = x.contiguous();
    received.push_back(at::empty(x.sizes(), x.options()));
    std::vector<at::Tensor> buffer{received.back()};
    works.push_back(group.recv(buffer, modulo(rank - hops, ranks), tag + works.size()));
  }
  for (size_t i = 0; i < xs.size(); ++i) {
    std::vector<at::Tensor> message{xs[i]};
    works.push_back(group.send(message, modulo(rank + hops, ranks), tag + i));
  }
  return Result([xs = std::move(xs), received = std::move(received), works = std::move(works)] {
    for (const auto& work : works) work->wait();
    return received;
  });
}

}  // namespace attncheck

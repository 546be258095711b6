#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/collectives/kept_group.h"
#include "impl/collectives/packing.h"
#include "impl/collectives/posted.h"

namespace attncheck {

// Moves tensors between the ranks of a group, without autograd. All the calls of c10d are in
// exchange.cpp. Inputs may have any strides; axes count from 0. The shapes agree on all ranks
// unless a rank is told those of the others: sizes are never exchanged. A group of one rank returns
// its input and calls nothing.

// How long an axis is, by rank; empty: as long on every rank.
using Lengths = std::vector<int64_t>;

int group_size(c10d::ProcessGroup& group);
int group_rank(c10d::ProcessGroup& group);

// Cuts axis `scatter_dim` into one piece per rank, sends piece i to rank i, and joins what arrives
// along `gather_dim` in the order of the ranks. scatter_dim != gather_dim. Throws when the size of
// `scatter_dim` is not divisible.
at::Tensor all_to_all(const at::Tensor& x, c10d::ProcessGroup& group, int64_t scatter_dim,
                      int64_t gather_dim);
Posted<at::Tensor> post_all_to_all(const at::Tensor& x, c10d::ProcessGroup& group,
                                   int64_t scatter_dim, int64_t gather_dim);
// The same with pieces of these lengths: of `scatter_dim` rank i gets scattered[i], of `gather_dim`
// rank i holds gathered[i].
Posted<at::Tensor> post_all_to_all(const at::Tensor& x, c10d::ProcessGroup& group,
                                   int64_t scatter_dim, int64_t gather_dim,
                                   const Lengths& scattered, const Lengths& gathered);

// Piece i, of any shape, to rank i; what arrives from rank i has the shape arriving[i]. Empty
// pieces cost nothing.
Posted<std::vector<at::Tensor>> post_trade(const std::vector<at::Tensor>& pieces,
                                           std::vector<Sizes> arriving, c10d::ProcessGroup& group);

// The ranks' x joined along `dim`.
at::Tensor all_gather(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim);

// The ranks' x along a new first axis: (ranks, ...).
Posted<at::Tensor> post_all_gather(const at::Tensor& x, c10d::ProcessGroup& group);
// The ranks' x, by rank, of which axis `dim` has these lengths.
Posted<std::vector<at::Tensor>> post_all_gather(const at::Tensor& x, c10d::ProcessGroup& group,
                                                int64_t dim, const Lengths& lengths);
// The same joined along `dim`.
Posted<at::Tensor> post_joined_gather(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim,
                                      const Lengths& lengths);

// The sum over the ranks of their x's piece of `dim` that is this rank's. The pieces travel as they
// are and are added here, in the order of the ranks: the same bits on every transport.
at::Tensor reduce_scatter(const at::Tensor& x, c10d::ProcessGroup& group, int64_t dim);
// The sum over the ranks of their by_rank[i], i being this rank. Shapes may differ between the i.
at::Tensor reduce_scatter(const std::vector<at::Tensor>& by_rank, c10d::ProcessGroup& group);

// Sends each of `xs` to rank + hops and returns what comes from rank - hops, modulo the group. The
// receives are posted first and no send blocks; where messages have no tags, all of a shift are one
// batch, and the shifts are posted in the same order on every rank. The messages are tagged tag,
// tag + 1, ...: shifts that are on their way at the same time use different ones. What comes has
// the shapes `arriving`, or those of `xs` where there are none; empty tensors are not sent.
std::vector<at::Tensor> shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group, int hops,
                              int tag = 0);
Posted<std::vector<at::Tensor>> post_shift(std::vector<at::Tensor> xs, c10d::ProcessGroup& group,
                                           int hops, int tag = 0,
                                           const std::vector<Sizes>& arriving = {});

// The same by one all-to-all for each of `xs`, in which every rank has one piece that is not empty.
Posted<std::vector<at::Tensor>> post_rotation(const std::vector<at::Tensor>& xs,
                                              c10d::ProcessGroup& group, int hops,
                                              const std::vector<Sizes>& arriving = {});

}  // namespace attncheck

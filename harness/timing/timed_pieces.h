#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "harness/timing/stopwatch.h"
#include "harness/timing/throughput.h"
#include "impl/contract/backend.h"
#include "impl/contract/implementation.h"
#include "problem/case.h"

namespace attncheck::timing {

// Something that marks where it begins, where its forward ends, and where its backward ends if it
// has one. Marks nothing on a rank that has no part.
using Piece = std::function<void(Stopwatch&)>;

// Normal values, (B, S, H, D) each, in the problem's dtype.
struct Operands {
  at::Tensor q, k, v, dout;
};

// Of the first 1/parts of the sequence: a rank's shard, or with 1 the whole.
Operands operands_of(const Problem& problem, int parts, c10::Device device);

// The implementation on this rank's shards, then autograd, as a user calls them. The backend and
// the implementation outlive it.
Piece method_piece(const Implementation& implementation, const Backend& backend, const Case& c,
                   const Operands& shards, const MeshGroups& groups);

// The backend's forward and backward on the whole problem, in the project's form, without autograd.
Piece kernel_piece(const Backend& backend, const Problem& problem, const Operands& whole);

// What the methods make of it: the same calls (impl/collectives/exchange.h) on one tensor of `x`'s
// size, whose elements are a multiple of the ranks.
Piece exchange_piece(ExchangeKind kind, const at::Tensor& x, c10d::ProcessGroup& group);

}  // namespace attncheck::timing

#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "properties/request.h"

namespace attncheck {

// The tensors of a request. An element is a hash of (seed, tensor, b, s, h, d), s its position in
// the global sequence: a rank's shard, the whole, and a smaller case hold the same values where
// they meet. Values are rounded to the case's dtype, so that the reference sees exactly what the
// subject sees.
struct InputTensors {
  at::Tensor q, k, v;  // (B, S, H, D) at the given positions, in the case's dtype and view
  at::Tensor dout;     // (B, Sq, H, Dv), in q's dtype and the case's view; undefined when absent
  at::Tensor dlse;     // (B, Sq, H), in lse's dtype and the case's view; undefined when absent
  // Bool (true: visible) or additive in q's dtype, of the axes that the case says: these queries,
  // and all keys in the order of the sequence. Undefined where the case has none.
  at::Tensor mask;
};

// The shard of one rank, and joint tokens; of these the cotangents are its own share, and zero for
// the rest.
InputTensors rank_inputs(const Request& request, int rank);
// The whole sequence, in order.
InputTensors global_inputs(const Request& request);

// Data of the case:
//   normal    standard normal
//   large     q and k scaled so that scores reach about 1e3
//   low       normal, queries and keys moved apart so that scores lie about -200: the log-sum-exp
//   is
//             far below what exp of it can hold in float32 (with scale=0 there is no such data)
//   offset    normal, keys shifted by a constant vector of length about 4
//   selector  k_j = (2j, -j^2, 0...), q_i = g (t_i, 1, 0...): key t_i (visible where any key is)
//   wins by
//             a gap beyond the dtype's exp range, so that out is exactly v's row; v and dout small
//             integers
//   tagged    small integers that tell (b, s, h, d) apart; for collectives
//
// The key that query i of batch b and head h selects in `selector` data; -1 where it sees none.
int64_t selected_key(const Case& c, int64_t b, int64_t query, int64_t h);

// The tagged or random small-integer input of a collective on one rank, (B, S, H, D) of `shape`,
// and its cotangent of the output's shape. All values are integers, so that sums are exact in
// float64.
at::Tensor collective_input(const Request& request, int rank, const std::array<int64_t, 4>& shape);
at::Tensor collective_cotangent(const Request& request, int rank,
                                const std::array<int64_t, 4>& shape);
// The number that `tagged` data puts at (rank, b, s, h, d): distinct for distinct places, exact in
// the case's dtype only for float64 and float32.
double tag(int rank, const std::array<int64_t, 4>& index, const std::array<int64_t, 4>& shape);

}  // namespace attncheck

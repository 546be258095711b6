#pragma once

#include <cstdint>
#include <vector>

#include "problem/case.h"

namespace attncheck::reference {

// Bytes that one rank receives, its own shard excluded. A method may leave some of them out.
struct ByteRange {
  int64_t least = 0, most = 0;
};

struct Traffic {
  ByteRange forward, backward;
};

// The tokens of each mesh rank's shard, joint ones aside, and the width of what travels.
struct TrafficShape {
  std::vector<int64_t> q_lens, kv_lens;  // by mesh rank
  int64_t io_bytes = 0;    // an element of q, k, v, out and the gradients that are returned
  int64_t sum_bytes = 0;   // an element of a gradient that is still being summed
  int64_t lse_bytes = 0;   // an element of the log-sum-exp
  int64_t mask_bytes = 0;  // an element of the mask
};

// The heads that a rank of a Ulysses group attends to: of the queries H/U, rounded up; of the keys
// one for each largest group of them that shares a KV head wherever the group begins, gcd(that,
// H/Hkv) heads. Where U divides H and Hkv that is H/U and Hkv/U.
struct HeadShare {
  int64_t heads = 0, kv_heads = 0;
};
HeadShare head_share(const Problem& problem, int ulysses_degree);

// What a rank of an R x U mesh receives in unified attention; a ring is U = 1, Ulysses is R = 1
// (DESIGN 4.2). With Ulysses index u, ring index r, D = Dqk, E = Dv, and the rank's head_share for
// H/U and Hkv/U:
//
//   forward, Ulysses  sum over the others of the Ulysses group of their
//                     B (Sq H/U D + Skv Hkv/U (D + E)), and (U - 1) B Sq H/U E for out; the same
//                     with 1 for E for the log-sum-exp, where it is returned; of a mask that has
//                     an axis of queries, the others' rows, B Sq Skv, and that for each of H/U
//                     heads if it has an axis of heads
//                     Joint queries, J of them, add (U - 1) B J H/U E for out (1 for the
//                     log-sum-exp) forward, and as much for their cotangents backward
//   forward, ring     sum over the other ring ranks of B Skv' Hkv/U (D + E), where Skv' is what
//                     the Ulysses group of that rank holds
//   backward, Ulysses as forward: E for dout of the others and D, D + E for dq, dk and dv that
//                     come home; a cotangent of the log-sum-exp where it is returned
//   backward, ring    the keys once more; their gradients, at the width of the sums: by all-gather
//                     the own shard's from R - 1 ranks (summed in one exchange), by send/receive
//                     and by all-to-all one shard's a hop, for R hops or R - 1
//
// `least` leaves out the cotangent of the log-sum-exp where the case has none, and the last hop.
Traffic unified_traffic(const Case& c, const TrafficShape& shape, int rank);

// What a rank of an R x 1 mesh receives that gathers the keys of all at once:
//
//   forward   sum over the others of their B Skv' Hkv (D + E)
//   backward  their gradients of the own shard, summed in one exchange: (R - 1) B Skv Hkv (D + E)
//   at
//             the width of the sums; and the keys once more, unless they were kept
//
// `least` leaves these out.
Traffic gathered_traffic(const Case& c, const TrafficShape& shape, int rank);

}  // namespace attncheck::reference

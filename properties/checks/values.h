#pragma once

#include "properties/property.h"

namespace attncheck {

// Every element of the tensor, on every rank, lies within its bound of the float64 reference. The
// gradients are judged one by one, with a random cotangent of out and none of lse.
Property output_matches_reference();
Property lse_matches_reference();
Property gradients_match_reference();

// With a random cotangent of lse, alone (dout = 0) and together with one of out, the gradients
// equal the reference; or the subject refuses: it says so, every rank throws, or the returned lse
// does not require grad on any rank. A gradient that is silently zero fails.
Property lse_gradient_flows_or_is_refused();

// In bfloat16 and float16, with partial results merged in float32 (fp32=1): the root mean square of
// the errors of out is at most 1.5 times that on ring degrees 1 and 2, for 4, 8, ... and the case's
// own degree.
Property error_does_not_grow_with_ring_degree();

// V = identity makes out the attention matrix P. The count of a pair is
//   count_ij = P_ij * exp(lse_i - s_ij),
// 1 where query i sees key j: it is the weight with which the pair entered both sums. (P alone
// misses what is doubled everywhere, lse alone what is doubled in P.) The score is taken from the
// reference, s_ij = lse_i + ln P_ij. With errors e_P and e_l of P and of lse within their bounds
// b_P and b_l,
//   |count - 1| = |(1 + e_P / P) * exp(e_l) - 1| <= (1 + b_P / P) * exp(b_l) - 1.
// Pairs for which that bound exceeds 1/4 cannot be counted and are judged by P within b_P, as are
// masked pairs, whose P is 0. A count says nothing of weight that goes to what is nobody's key (a
// shard padded with zeros that is attended to): that lowers P and raises lse. So the weights of a
// query have to add up to 1 over all keys, or to 0 where it sees none, within the sum of their
// bounds b_P.
Property every_query_key_pair_counts_once();

// Of a backend alone: with the keys in 2 to 8 uneven blocks, some of one key, each with a diagonal
// of its own, forward of the blocks merged by their log-sum-exps, and backward of each given the
// global out and lse (and the case's cotangent of lse), out, lse and the sums of the gradients lie
// within the bounds of as many merges.
Property key_blocks_sum_to_the_whole();

}  // namespace attncheck

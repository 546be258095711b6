#pragma once

#include "properties/property.h"

namespace attncheck {

// out, lse, dq, dk and dv are the same on every other factorisation of the world that the subject
// supports, and on one rank, within the sum of both runs' bounds.
Property mesh_does_not_matter();

// With keys and values in another order over the whole sequence, across shards, out, lse and dq are
// the same, and dk and dv are in that order, within the sum of both runs' bounds. True where every
// query sees every key.
Property key_order_does_not_matter();

// Other data (inputs and cotangents) in about half of the cells, a cell being an element of the
// batch and a KV head, leave the other cells as they were: bit by bit where the backend says that
// it is deterministic, else within the sum of both runs' bounds.
Property batch_and_head_are_independent();

// v on a grid of eighths, a, b and 2 a + b: out, dq and dk (with no cotangent of lse) of the
// mixture are twice those of a plus those of b, within the bounds of the three, 2, 1 and 1 times.
// lse is the same, bit by bit where the backend says that it is deterministic; dv is the same
// within the bounds.
Property output_is_linear_in_value();

// With one vector c for each KV head added to its keys, lse_i grows by scale * q_i . c and dq_i by
// scale * dlse_i * c; out, dk and dv stay; within the sum of both runs' bounds. Keys and c lie on a
// grid, so that k + c is exact in every dtype.
Property shifting_keys_by_a_constant_vector_shifts_lse();

// With every key twice, the copies half of the sequence apart, lse grows by ln 2, each copy takes
// half of dk and dv, out and dq stay; within the sum of both runs' bounds. True where every query
// sees every key.
Property duplicated_keys_add_log_two_to_lse();

// The run with return_lse=0 gives the out and the gradients of the run with return_lse=1: bit by
// bit where the backend says that it is deterministic, else within the sum of both runs' bounds. An
// error without lse alone is a failure.
Property return_lse_changes_nothing_else();

// Two runs of one case give the same bits, where the backend says that it is deterministic.
Property same_case_twice_is_bitwise_equal();

// Whatever fresh memory holds, the bits are the same, and no NaN comes that the plain run has not.
// Two runs: memory of 0xFF bytes (NaN in every float type) and of 0x5A bytes (large numbers).
Property nothing_uninitialised_is_read();

}  // namespace attncheck

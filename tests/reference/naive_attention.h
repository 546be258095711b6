#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "tests/reference/random_problem.h"

namespace attncheck::reference {

// Ordinary implementations to hold against the oracle, computed in the problem's own dtype with
// LibTorch's ops and differentiated by its autograd.

struct NaiveResult {
  at::Tensor out, lse;  // by token; lse undefined where the op gives none
  at::Tensor dq, dk, dv;
};

/// How two partial results are merged: by weights exp(lse_a - lse) and exp(lse_b - lse), or as
/// a - sigmoid(lse_b - lse_a) (a - b), for which no row of a block may be empty.
enum class MergeForm { kWeights, kSigmoid };

/// softmax(scores) v with logsumexp; the keys are cut into `merges` blocks, attended to one by one
/// and merged. Gradients for both cotangents.
NaiveResult blockwise_attention(const RandomProblem& problem, int64_t merges,
                                MergeForm form = MergeForm::kWeights);

/// LibTorch's _scaled_dot_product_attention_math. Gradients for dout alone; rows with no key are
/// NaN.
NaiveResult sdpa_math(const RandomProblem& problem);

/// What a fused kernel for a narrow dtype does, step by step: sums, scores and lse in float32; P
/// and dS rounded to the narrow dtype before the products that take them; out rounded before
/// rowsum(dout o out).
NaiveResult fused_narrow_attention(const RandomProblem& problem);

/// LibTorch's fused kernel for the CPU. Gradients for dout alone. Wants Dv = Dqk, a key in every
/// row, no additive mask.
NaiveResult flash_for_cpu(const RandomProblem& problem);

}  // namespace attncheck::reference

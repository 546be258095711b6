#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"

namespace attncheck::testing {

// Standard normal values that `seed` determines.
at::Tensor normal(const std::vector<int64_t>& sizes, uint64_t seed,
                  at::ScalarType type = at::kDouble);

// The built-in backend of that name.
Backend built_in_backend(const std::string& name);

// The largest |a - b|; infinity where one of the two is infinite or NaN and the other is not that.
double difference(const at::Tensor& a, const at::Tensor& b);

// One attention on one rank, with cotangents.
struct Whole {
  BackendInputs inputs;
  at::Tensor grad_out, grad_lse;
};

struct Sizes {
  int64_t batch = 2, q_len = 6, kv_len = 6, heads = 4, kv_heads = 4, head_dim = 3, v_head_dim = 3;
};

Whole whole(const Sizes& sizes, std::optional<int64_t> diagonal = {},
            at::ScalarType type = at::kDouble);

// What the oracle gives for it, in float64.
struct Expected {
  at::Tensor out, lse, dq, dk, dv;
};

Expected expected(const Whole& whole);

}  // namespace attncheck::testing

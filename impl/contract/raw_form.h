#pragma once

#include <cstdint>
#include <vector>

#include <c10/core/ScalarType.h>

#include "impl/contract/backend_contract.h"
#include "impl/contract/dtypes.h"
#include "problem/next_multiple.h"

namespace attncheck {

// S up to the next multiple of 32: the rows of an LSE of LseShape::BHS32.
inline int64_t padded_to_32(int64_t rows) {
  return next_multiple(rows, 32);
}

// The sizes of the raw log-sum-exp that the contract declares for a block.
inline std::vector<int64_t> raw_lse_sizes(const BackendContract& contract, int64_t batch,
                                          int64_t q_len, int64_t heads) {
  switch (contract.lse_shape) {
    case LseShape::BHS:
      return {batch, heads, q_len};
    case LseShape::BHS1:
      return {batch, heads, q_len, 1};
    case LseShape::BHS32:
      return {batch, heads, padded_to_32(q_len)};
    case LseShape::BSH:
      break;
  }
  return {batch, q_len, heads};
}

// Its dtype, for q of that dtype.
inline at::ScalarType raw_lse_type(const BackendContract& contract, at::ScalarType q) {
  switch (contract.lse_dtype) {
    case LseDType::float32:
      return at::kFloat;
    case LseDType::of_q:
      return q;
    case LseDType::wide:
      break;
  }
  return lse_scalar_type(q);
}

// The sizes of the raw out; its head_dim is filled up where the kernel wants a multiple.
inline std::vector<int64_t> raw_out_sizes(const BackendContract& contract, int64_t batch,
                                          int64_t q_len, int64_t heads, int64_t v_head_dim) {
  v_head_dim = next_multiple(v_head_dim, contract.takes.head_dim_multiple);
  if (contract.layout == KernelLayout::BHSD) return {batch, heads, q_len, v_head_dim};
  return {batch, q_len, heads, v_head_dim};
}

}  // namespace attncheck

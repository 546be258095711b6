#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/contract_table.h"

namespace attncheck {

// The problem on which operators are asked: its sizes are pairwise distinct, so that each can be
// read back as a word. q is (B, H, S, D), k and v are (B, H, K, D), each in memory as a contiguous
// (B, S, H, D).
struct ProbeSizes {
  int64_t batch = 2, heads = 4, q_len = 40, kv_len = 24, head_dim = 16;
  bool operator==(const ProbeSizes&) const = default;
};

// A tensor without its data.
struct TensorForm {
  std::vector<int64_t> sizes, strides;
  std::string dtype;       // as LibTorch's Python has it: "bfloat16"
  std::string empty_rows;  // "0", "-inf", "+inf", "nan", "values"; empty where no row was hidden
};

// What an operator returned for q of one dtype; nothing where a return is no tensor.
struct OperatorReturns {
  std::string q_dtype;
  std::vector<std::optional<TensorForm>> returns;
};

// "B H S 1" for (2, 4, 40, 1): a size that is none of the probe's stays a number.
std::string shape_words(const std::vector<int64_t>& sizes);

// "as_shaped", "sequence_first", or the strides.
std::string memory_words(const TensorForm& form);

// What the table's word for a dtype is for q of that dtype: "wide" of "bfloat16" is "float32".
std::string dtype_for(const std::string& word, const std::string& q_dtype);

// What memory_words would say of the table's word: q is sequence_first in the probe.
std::string memory_for(const std::string& word);

}  // namespace attncheck

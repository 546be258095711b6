#include "harness/contracts/tensor_form.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attncheck {
namespace {

std::vector<std::pair<int64_t, std::string>> words_of_sizes() {
  const ProbeSizes sizes;
  return {{sizes.batch, "B"},  {sizes.heads, "H"},    {sizes.q_len, "S"},
          {sizes.kv_len, "K"}, {sizes.head_dim, "D"}, {(sizes.q_len + 31) / 32 * 32, "S32"}};
}

std::string size_word(int64_t size) {
  for (const auto& [known, word] : words_of_sizes()) {
    if (known == size) return word;
  }
  return std::to_string(size);
}

// The strides of a contiguous tensor of these sizes.
std::vector<int64_t> packed_strides(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i];
  }
  return strides;
}

// The strides of (B, H, S, ...) that lies as a contiguous (B, S, H, ...).
std::vector<int64_t> sequence_first_strides(std::vector<int64_t> sizes) {
  if (sizes.size() < 3) return {};
  std::swap(sizes[1], sizes[2]);
  std::vector<int64_t> strides = packed_strides(sizes);
  std::swap(strides[1], strides[2]);
  return strides;
}

}  // namespace

std::string shape_words(const std::vector<int64_t>& sizes) {
  std::vector<std::string> words;
  for (const int64_t size : sizes) words.push_back(size_word(size));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string memory_words(const TensorForm& form) {
  if (form.strides == packed_strides(form.sizes)) return "as_shaped";
  if (form.strides == sequence_first_strides(form.sizes)) return "sequence_first";
  return fmt::format("strides {}", fmt::join(form.strides, " "));
}

std::string dtype_for(const std::string& word, const std::string& q_dtype) {
  if (word == "q") return q_dtype;
  if (word == "wide" && q_dtype == "float64") return q_dtype;
  return "float32";
}

std::string memory_for(const std::string& word) {
  return word == "as_q" ? "sequence_first" : word;
}

}  // namespace attncheck

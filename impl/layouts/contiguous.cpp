#include "impl/layouts/contiguous.h"

#include <c10/util/Exception.h>

namespace attncheck {

Shard contiguous_shard(int64_t len, int ranks, int rank) {
  TORCH_CHECK(len % ranks == 0, ranks, " ranks do not divide ", len, " tokens");
  return {rank * (len / ranks), len / ranks};
}

std::optional<int64_t> global_diagonal(const AttentionOptions& options) {
  if (!options.causal) return std::nullopt;
  return options.align == Align::top_left ? 0 : options.kv_len - options.q_len;
}

std::optional<int64_t> block_diagonal(std::optional<int64_t> global_diagonal, int64_t q_offset,
                                      int64_t kv_offset) {
  if (!global_diagonal) return std::nullopt;
  return *global_diagonal + q_offset - kv_offset;
}

}  // namespace attncheck

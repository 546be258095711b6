#include "mutants/equal_shards.h"

namespace attncheck {

Limits of_equal_shards(Limits limits) {
  limits.every_split = false;
  return limits;
}

std::optional<int64_t> block_diagonal(std::optional<int64_t> global_diagonal, int64_t q_offset,
                                      int64_t kv_offset) {
  if (!global_diagonal) return std::nullopt;
  return *global_diagonal + q_offset - kv_offset;
}

BackendInputs key_block(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const RingCall& call, int owner) {
  const std::vector<Block>& seen = call.blocks[owner];
  const std::optional<int64_t> sees_nothing = -q.size(1);
  return {q, k, v, {}, call.scale, seen.empty() ? sees_nothing : seen.front().diagonal};
}

}  // namespace attncheck

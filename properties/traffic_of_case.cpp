#include "properties/traffic_of_case.h"

#include <c10/core/ScalarType.h>

#include "impl/contract/dtypes.h"
#include "properties/token_positions.h"

namespace attncheck {
namespace {

reference::TrafficShape shape_of(const Case& c) {
  const at::ScalarType io = scalar_type(c.problem.dtype), lse = lse_scalar_type(io);
  reference::TrafficShape shape;
  shape.io_bytes = c10::elementSize(io);
  shape.lse_bytes = c10::elementSize(lse);
  shape.mask_bytes = c.problem.mask == Mask::boolean ? 1 : shape.io_bytes;
  shape.sum_bytes = c10::elementSize(c.convert_to_fp32 ? lse : io);
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const int64_t joint = c.problem.joint.tokens;
    shape.q_lens.push_back(static_cast<int64_t>(q_positions(c, rank).size()) - joint);
    shape.kv_lens.push_back(static_cast<int64_t>(kv_positions(c, rank).size()) - joint);
  }
  return shape;
}

}  // namespace

reference::Traffic traffic_of(const Case& c, Method method, int rank) {
  const bool gathers = method == Method::allgather_kv;
  const auto traffic = gathers ? reference::gathered_traffic : reference::unified_traffic;
  return traffic(c, shape_of(c), rank);
}

}  // namespace attncheck

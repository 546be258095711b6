#include "harness/timeline/can_trace.h"

#include <fmt/format.h>

namespace attncheck::timeline {

Support can_trace(const Registry& registry, const Case& c) {
  const int world = c.mesh.world();
  if (registry.implementation(c.impl) == nullptr) {
    return Support::no("'" + c.impl + "' is no implementation of this program");
  }
  if (c.transport == "sim" && registry.may_refuse_calls(c)) {
    return Support::no("callables are timed by their ranks alone: use transport=gloo");
  }
  if (c.problem.q_len % world != 0 || c.problem.kv_len % world != 0) {
    return Support::no(fmt::format("{} queries and {} keys do not divide into {} shards",
                                   c.problem.q_len, c.problem.kv_len, world));
  }
  return Support::yes();
}

}  // namespace attncheck::timeline

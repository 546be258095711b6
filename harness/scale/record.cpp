#include "harness/scale/record.h"

#include <memory>

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "harness/scale/script_group.h"
#include "impl/contract/attention_options.h"
#include "impl/contract/dtypes.h"

namespace attncheck::scale {
namespace {

at::Tensor shard(const Case& c, int64_t length, int64_t heads, int64_t dim) {
  const auto options =
      at::TensorOptions().dtype(scalar_type(c.problem.dtype)).device(c10::DeviceType::Meta);
  return at::empty({c.problem.batch, length / c.mesh.world(), heads, dim}, options);
}

void forward_and_backward(const Implementation& implementation, const Case& c,
                          const Backend& backend, const MeshGroups& groups) {
  const Problem& p = c.problem;
  const at::Tensor q = shard(c, p.q_len, p.heads, p.head_dim).requires_grad_();
  const at::Tensor k = shard(c, p.kv_len, p.kv_heads, p.head_dim).requires_grad_();
  const at::Tensor v = shard(c, p.kv_len, p.kv_heads, p.v_head_dim).requires_grad_();
  const Attention result = implementation.attention(q, k, v, attention_options(c, backend), groups);
  torch::autograd::grad({result.out}, {q, k, v}, {shard(c, p.q_len, p.heads, p.v_head_dim)});
}

}  // namespace

Support supports(const Registry& registry, const Case& c) {
  const Implementation* implementation = registry.implementation(c.impl);
  if (implementation == nullptr) return Support::no("unknown subject '" + c.impl + "'");
  return implementation->supports(c, script_backend(std::make_shared<Script>()));
}

Script record(const Registry& registry, const Case& c, int rank) {
  const auto script = std::make_shared<Script>();
  const Backend backend = script_backend(script);
  const Implementation* implementation = registry.implementation(c.impl);
  TORCH_CHECK(implementation != nullptr, "unknown subject '", c.impl, "'");
  forward_and_backward(*implementation, c, backend, script_groups(c.mesh, rank, script));
  return *script;
}

}  // namespace attncheck::scale

#include "mutants/parents.h"

#include <memory>
#include <utility>

#include <c10/util/Exception.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/collectives/catalogue.h"
#include "impl/layouts/block_masks.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"

namespace attncheck {

Parent ring_parent() {
  return {{.ring = true, .ulysses = false},
          [](const AttentionOptions& options, const MeshGroups& groups) {
            return ring_pass(ring_call(options, groups));
          },
          Method::ring};
}

Parent ulysses_parent() {
  return {{.ring = false, .ulysses = true},
          [](const AttentionOptions& options, const MeshGroups& groups) {
            return ulysses_pass(options, groups);
          },
          Method::ulysses};
}

Parent unified_parent() {
  return {{.ring = true, .ulysses = true},
          [](const AttentionOptions& options, const MeshGroups& groups) {
            return unified_pass(options, groups);
          },
          Method::unified};
}

Parent allgather_kv_parent() {
  return {{.ring = true, .ulysses = false, .gathers_keys = true},
          [](const AttentionOptions& options, const MeshGroups& groups) {
            return allgather_kv_pass(gather_call(options, groups));
          },
          Method::allgather_kv};
}

Implementation implementation_of(const std::string& name, const Parent& parent) {
  Implementation implementation;
  implementation.name = name;
  implementation.method = parent.method;
  implementation.supports = [limits = parent.limits](const Case& c, const Backend& backend) {
    return supports_case(limits, c, backend);
  };
  implementation.attention = [parent](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const AttentionOptions& options, const MeshGroups& groups) {
    check_call(parent.limits, q, k, v, options, groups);
    const AttentionPass pass = parent.pass(with_checked_mask(options, q), groups);
    Attention result = differentiable_attention(q, k, v, pass);
    if (!options.return_lse) result.lse = at::Tensor();
    return result;
  };
  return implementation;
}

Implementation on_backend(const Implementation& implementation, const Backend& backend) {
  const auto own = std::make_shared<const Backend>(backend);
  Implementation result = implementation;
  result.supports = [=](const Case& c, const Backend&) { return implementation.supports(c, *own); };
  result.attention = [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                         AttentionOptions options, const MeshGroups& groups) {
    options.backend = own.get();
    return implementation.attention(q, k, v, options, groups);
  };
  return result;
}

Parent with_forward(const Parent& parent, std::function<PassForward(PassForward)> change) {
  return {parent.limits,
          [=](const AttentionOptions& options, const MeshGroups& groups) {
            AttentionPass pass = parent.pass(options, groups);
            pass.forward = change(pass.forward);
            return pass;
          },
          parent.method};
}

Parent with_backward(const Parent& parent, std::function<PassBackward(PassBackward)> change) {
  return {parent.limits,
          [=](const AttentionOptions& options, const MeshGroups& groups) {
            AttentionPass pass = parent.pass(options, groups);
            pass.backward = change(pass.backward);
            return pass;
          },
          parent.method};
}

Collective built_in_collective(const std::string& name) {
  for (Collective& collective : built_in_collectives()) {
    if (collective.name == name) return std::move(collective);
  }
  TORCH_CHECK(false, "there is no collective ", name);
}

}  // namespace attncheck

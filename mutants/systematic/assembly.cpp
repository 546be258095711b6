#include "mutants/systematic/assembly.h"

#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/joint_trades.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"

namespace attncheck {
namespace {

// A call's pass with some changes. What the ranks exchange to prepare a call is exchanged once.
using Assemble = std::function<AttentionPass(const Changes&)>;

MeshGroups changed_groups(MeshGroups groups, const Changes& changes) {
  if (changes.groups) changes.groups(groups);
  if (changes.ring_wire) groups.ring = wired(groups.ring, changes.ring_wire());
  if (changes.ulysses_wire) groups.ulysses = wired(groups.ulysses, changes.ulysses_wire());
  return groups;
}

std::shared_ptr<const Backend> changed_backend(const Backend& right, const Changes& changes) {
  return std::make_shared<const Backend>(changes.backend ? changes.backend(right) : right);
}

// The pass, which keeps alive what it points to.
AttentionPass kept_with(AttentionPass pass, std::shared_ptr<const Backend> backend) {
  pass.forward = [backend, run = pass.forward](const at::Tensor& q, const at::Tensor& k,
                                               const at::Tensor& v) { return run(q, k, v); };
  pass.backward = [backend, run = pass.backward](
                      const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) { return run(saved, grad_out, grad_lse); };
  return pass;
}

// Of a RingCall or a GatherCall.
template <typename Call>
Call changed_call(Call call, const Backend& backend, const MeshGroups& groups,
                  const std::function<void(Call&)>& change) {
  call.backend = &backend;
  call.group = keep(groups.ring);
  if (change) change(call);
  return call;
}

HeadTrades changed_trades(const AttentionOptions& options, const MeshGroups& groups,
                          const Changes& changes) {
  HeadTrades trades = group_trades(options, groups);
  if (changes.trades && groups.mesh.ulysses > 1) changes.trades(trades, groups);
  return trades;
}

Assemble ring_assembly(const AttentionOptions& options, const MeshGroups& groups) {
  return [call = ring_call(options, groups), groups](const Changes& changes) {
    const auto backend = changed_backend(*call.backend, changes);
    const MeshGroups own = changed_groups(groups, changes);
    return kept_with(ring_pass(changed_call(call, *backend, own, changes.ring)), backend);
  };
}

Assemble allgather_kv_assembly(const AttentionOptions& options, const MeshGroups& groups) {
  return [call = gather_call(options, groups), groups](const Changes& changes) {
    const auto backend = changed_backend(*call.backend, changes);
    const MeshGroups own = changed_groups(groups, changes);
    return kept_with(allgather_kv_pass(changed_call(call, *backend, own, changes.gather)), backend);
  };
}

Assemble ulysses_assembly(const AttentionOptions& options, const MeshGroups& groups) {
  return [grouped = options_of_group(options, groups), options, groups](const Changes& changes) {
    const auto backend = changed_backend(*options.backend, changes);
    const MeshGroups own = changed_groups(groups, changes);
    AttentionOptions inside = grouped;
    inside.backend = backend.get();
    return kept_with(
        ulysses_pass(whole_pass(inside), changed_trades(options, own, changes), options, groups),
        backend);
  };
}

Assemble unified_assembly(const AttentionOptions& options, const MeshGroups& groups) {
  return [call = ring_call_of_group(options, groups), options, groups](const Changes& changes) {
    const auto backend = changed_backend(*call.backend, changes);
    const MeshGroups own = changed_groups(groups, changes);
    AttentionPass ring = ring_pass(changed_call(call, *backend, own, changes.ring));
    return kept_with(
        unified_pass(std::move(ring), changed_trades(options, own, changes), options, groups),
        backend);
  };
}

struct AssembledMethod {
  Parent parent;
  Assemble (*assembly)(const AttentionOptions&, const MeshGroups&);
};

AssembledMethod assembled(Method method) {
  switch (method) {
    case Method::ring:
      return {ring_parent(), ring_assembly};
    case Method::ulysses:
      return {ulysses_parent(), ulysses_assembly};
    case Method::unified:
      return {unified_parent(), unified_assembly};
    case Method::allgather_kv:
      return {allgather_kv_parent(), allgather_kv_assembly};
    case Method::other:
      break;
  }
  TORCH_CHECK(false, "no operator is applied to a method '", to_text(method), "'");
}

AttentionPass pass_in_phase(const Assemble& assemble, const MeshGroups& groups,
                            const Changes& changes, Phase phase) {
  AttentionPass pass = assemble({});
  if (phase != Phase::backward) {
    pass.forward = assemble(changes).forward;
    if (changes.forward) pass.forward = changes.forward(pass.forward);
  }
  if (phase != Phase::forward) {
    pass.backward = assemble(changes).backward;
    if (changes.backward) pass.backward = changes.backward(pass.backward, groups.mesh);
  }
  return pass;
}

}  // namespace

Parent changed_method(Method method, const Changes& changes, Phase phase) {
  const AssembledMethod right = assembled(method);
  return {right.parent.limits,
          [=](const AttentionOptions& options, const MeshGroups& groups) {
            return pass_in_phase(right.assembly(options, groups), groups, changes, phase);
          },
          right.parent.method};
}

}  // namespace attncheck

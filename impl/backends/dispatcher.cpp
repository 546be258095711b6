#include "impl/backends/dispatcher.h"

#include <algorithm>
#include <set>
#include <utility>

#include "impl/backends/attend.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

Mask mask_kind(const at::Tensor& mask) {
  if (!mask.defined()) return Mask::none;
  return mask.scalar_type() == at::kBool ? Mask::boolean : Mask::additive;
}

DType dtype_of_block(const BackendInputs& block) {
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::f16}) {
    if (scalar_type(dtype) == block.q.scalar_type()) return dtype;
  }
  TORCH_CHECK(false, "q is ", block.q.scalar_type(),
              ": expected float64, float32, bfloat16 or float16");
}

// The problem of a block. A diagonal is no alignment: which keys it hides is not told.
Problem problem_of(const BackendInputs& block) {
  Problem p;
  p.batch = block.q.size(0);
  p.q_len = block.q.size(1);
  p.kv_len = block.k.size(1);
  p.heads = block.q.size(2);
  p.kv_heads = block.k.size(2);
  p.head_dim = block.q.size(3);
  p.v_head_dim = block.v.size(3);
  p.dtype = dtype_of_block(block);
  p.causal = hiding_diagonal(block).has_value();
  p.mask = mask_kind(block.mask);
  p.scale = block.scale;
  return p;
}

const Backend& chosen_for(const Dispatcher& dispatcher, const BackendInputs& block) {
  const Problem problem = problem_of(block);
  const Backend* chosen = dispatcher.chosen(problem);
  TORCH_CHECK(chosen != nullptr, dispatcher.supports(problem).reason);
  return *chosen;
}

template <typename Holds>
bool all_hold(const std::vector<Backend>& candidates, const Holds& holds) {
  return std::all_of(candidates.begin(), candidates.end(),
                     [&](const Backend& candidate) { return holds(candidate.contract); });
}

template <typename Holds>
bool any_holds(const std::vector<Backend>& candidates, const Holds& holds) {
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const Backend& candidate) { return holds(candidate.contract); });
}

// attend_backward gives a kernel that takes no grad_lse its column: the dispatcher takes one.
BackendContract common_contract(const std::vector<Backend>& candidates) {
  using Contract = BackendContract;
  BackendContract contract;
  contract.takes_grad_lse = true;
  contract.lse = all_hold(candidates, [](const Contract& c) { return c.lse; });
  contract.deterministic = all_hold(candidates, [](const Contract& c) { return c.deterministic; });
  contract.grouped_heads = any_holds(candidates, [](const Contract& c) { return c.grouped_heads; });
  contract.own_v_head_dim =
      any_holds(candidates, [](const Contract& c) { return c.own_v_head_dim; });
  contract.masks = any_holds(candidates, [](const Contract& c) { return c.masks; });
  for (const Backend& candidate : candidates) {
    contract.narrow_exp_error =
        std::max(contract.narrow_exp_error, candidate.contract.narrow_exp_error);
  }
  return contract;
}

}  // namespace

Dispatcher::Dispatcher(std::string name, std::vector<Backend> in_order)
    : name_(std::move(name)), candidates_(std::move(in_order)) {
  TORCH_CHECK(!candidates_.empty(), name_, ": a dispatcher needs a backend to choose");
  std::set<std::string> names;
  for (const Backend& candidate : candidates_) {
    TORCH_CHECK(names.insert(candidate.name).second, name_, ": ", candidate.name,
                " is in the list twice");
  }
}

const Backend* Dispatcher::chosen(const Problem& problem) const {
  const auto found =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [&](const Backend& candidate) { return candidate.supports(problem).ok; });
  return found == candidates_.end() ? nullptr : &*found;
}

Support Dispatcher::supports(const Problem& problem) const {
  if (chosen(problem) != nullptr) return Support::yes();
  std::string reason = name_ + " has no backend for this";
  for (const Backend& candidate : candidates_) {
    reason += "; " + candidate.name + ": " + candidate.supports(problem).reason;
  }
  return Support::no(reason);
}

Dispatcher Dispatcher::only(const std::string& name) const {
  std::string names;
  for (const Backend& candidate : candidates_) {
    if (candidate.name == name) return Dispatcher(name_, {candidate});
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  TORCH_CHECK(false, name_, " has no backend '", name, "' (it has: ", names, ")");
}

Backend Dispatcher::backend() const {
  Backend backend;
  backend.name = name_;
  backend.contract = common_contract(candidates_);
  for (const Backend& candidate : candidates_) {
    if (!candidate.device.empty()) backend.device = candidate.device;
  }
  backend.supports = [self = *this](const Problem& problem) { return self.supports(problem); };
  backend.forward = [self = *this](const BackendInputs& block) -> BackendForward {
    BlockAttention result = attend(chosen_for(self, block), block);
    return {result.out, result.lse, std::move(result.aux), {}};
  };
  backend.backward = [self = *this](const BackendBackward& call) {
    return attend_backward(chosen_for(self, call.block), call);
  };
  return backend;
}

Dispatcher auto_dispatcher() {
  return Dispatcher("auto", {flash_cpu_backend(), math_backend()});
}

}  // namespace attncheck

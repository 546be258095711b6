#include <algorithm>
#include <utility>

#include <ATen/core/ivalue.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "harness/scale/script_group.h"
#include "impl/contract/dtypes.h"

namespace attncheck::scale {
namespace {

// The (query, key) pairs of one head that the diagonal lets see each other.
double visible_pairs(const BackendInputs& block) {
  const int64_t q_len = block.q.size(1), kv_len = block.k.size(1);
  if (!block.diagonal) return static_cast<double>(q_len) * static_cast<double>(kv_len);
  double pairs = 0;
  for (int64_t i = 0; i < q_len; ++i) {
    pairs += static_cast<double>(std::clamp<int64_t>(i + *block.diagonal + 1, 0, kv_len));
  }
  return pairs;
}

double products(const BackendInputs& block, double qk_products, double v_products) {
  const auto heads = static_cast<double>(block.q.size(0) * block.q.size(2));
  const auto d = static_cast<double>(block.q.size(3)), e = static_cast<double>(block.v.size(3));
  return 2 * heads * visible_pairs(block) * (qk_products * d + v_products * e);
}

BackendForward forward(Script& script, const BackendInputs& block) {
  const at::Tensor& q = block.q;
  script.compute(products(block, 1, 1), "forward");
  const auto lse_options = q.options().dtype(lse_scalar_type(q.scalar_type()));
  return {at::empty({q.size(0), q.size(1), q.size(2), block.v.size(3)}, q.options()),
          at::empty({q.size(0), q.size(1), q.size(2)}, lse_options),
          {}};
}

BackendGrads backward(Script& script, const BackendBackward& call) {
  script.compute(products(call.block, 3, 2), "backward");
  return {at::empty_like(call.block.q), at::empty_like(call.block.k), at::empty_like(call.block.v)};
}

}  // namespace

Backend script_backend(std::shared_ptr<Script> script) {
  Backend backend;
  backend.name = "script";
  backend.contract.takes_grad_lse = true;
  backend.supports = [](const Problem&) { return Support::yes(); };
  backend.forward = [script](const BackendInputs& block) { return forward(*script, block); };
  backend.backward = [script](const BackendBackward& call) { return backward(*script, call); };
  return backend;
}

}  // namespace attncheck::scale

#include "impl/backends/flash_cpu.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/cat.h>

#include "impl/backends/operator_forms.h"
#include "impl/backends/visibility.h"

namespace attncheck {
namespace {

// The op's vectorised exp on float16 and bfloat16 (Vectorized<float>::fexp_u20, after Malossi et
// al., "Fast exponential computation on SIMD architectures", 2015) computes 2^f, f in [0, 1), as
// 1 + f - (c0 + c1 f + c2 f^2 + c3 f^3). The cubic errs by c0 at most, and 2^f is at least 1.
constexpr double kFastExpError = 1.0703434948458272e-4;

// A causal call computes whole tiles of 512 keys, those that no query of the tile sees as well: of
// 1024 keys three quarters instead of half. Strips of half a tile, each with the queries that see
// it, leave most of that out. Past some strips the sums cost what they spare.
constexpr int64_t kStripKeys = 256, kMostStrips = 8;

// (B, S, H, D) -> (B, H, S, D) in memory that the op's matrix products can walk: rows without gaps,
// one after another.
at::Tensor to_kernel(const at::Tensor& x) {
  const bool unit_stride = x.stride(3) == 1 || x.size(3) == 1;
  const bool rows_apart = x.size(1) == 1 || x.stride(1) >= x.size(3);
  return (unit_stride && rows_apart ? x : x.contiguous()).transpose(1, 2);
}

// A block as the op takes it.
struct KernelCall {
  explicit KernelCall(const BackendInputs& block)
      : group(block.q.size(2) / block.k.size(2)),
        q(to_kernel(block.q)),
        k(to_kernel(with_all_heads(block.k, group))),
        v(to_kernel(with_all_heads(block.v, group))),
        is_causal(says_is_causal(block)) {
    TORCH_CHECK(block.q.size(3) == block.v.size(3), "flash_cpu: the head_dim of q and k, ",
                block.q.size(3), ", is not that of v, ", block.v.size(3));
    at::Tensor additive;
    if (!is_causal) additive = additive_mask(block, block.q.scalar_type());
    if (additive.defined()) mask = additive;
  }

  int64_t group;
  at::Tensor q, k, v;  // (B, H, S, D)
  bool is_causal;      // aligned top-left, as diagonal 0 is
  std::optional<at::Tensor> mask;
};

BackendForward flash_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const KernelCall call(block);
  const auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
      call.q, call.k, call.v, /*dropout_p=*/0.0, call.is_causal, call.mask, block.scale);
  return {out.transpose(1, 2), lse, {}, {out, lse}};
}

// (B, Sq, H) in the project's form -> (B, H, Sq) as the op wants it back.
at::Tensor kernel_lse(const BackendBackward& call) {
  return lse_for_backward(call).transpose(1, 2);
}

BackendGrads one_call_backward(const BackendBackward& call) {
  const KernelCall kernel(call.block);
  auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      to_kernel(call.grad_out), kernel.q, kernel.k, kernel.v, to_kernel(call.out), kernel_lse(call),
      /*dropout_p=*/0.0, kernel.is_causal, kernel.mask, call.block.scale);
  return {dq.transpose(1, 2), sum_of_groups(dk.transpose(1, 2), kernel.group),
          sum_of_groups(dv.transpose(1, 2), kernel.group)};
}

// The keys from `begin` on, and the queries that see any of them: the diagonal stays 0.
BackendBackward strip_of(const BackendBackward& call, int64_t begin) {
  const auto rows = [&](const at::Tensor& x) { return x.narrow(1, begin, x.size(1) - begin); };
  const auto keys = [&](const at::Tensor& x) {
    return x.narrow(1, begin, std::min(kStripKeys, x.size(1) - begin));
  };
  BackendBackward strip = call;
  strip.block.q = rows(call.block.q);
  strip.block.k = keys(call.block.k);
  strip.block.v = keys(call.block.v);
  strip.grad_out = rows(call.grad_out);
  strip.out = rows(call.out);
  strip.lse = rows(call.lse);
  return strip;
}

// Each strip adds to dq in its dtype: narrow ones would round it once more each time.
bool pays_in_strips(const BackendBackward& call) {
  const BackendInputs& block = call.block;
  const int64_t keys = block.k.size(1);
  const bool wide = block.q.scalar_type() == at::kFloat || block.q.scalar_type() == at::kDouble;
  return wide && says_is_causal(block) && block.q.size(1) >= keys && keys > kStripKeys &&
         keys <= kStripKeys * kMostStrips;
}

BackendGrads backward_in_strips(const BackendBackward& call) {
  const int64_t keys = call.block.k.size(1);
  at::Tensor dq;
  std::vector<at::Tensor> dk, dv;
  for (int64_t begin = 0; begin < keys; begin += kStripKeys) {
    const BackendGrads strip = one_call_backward(strip_of(call, begin));
    if (begin == 0) {
      dq = strip.dq;
    } else {
      dq.narrow(1, begin, dq.size(1) - begin).add_(strip.dq);
    }
    dk.push_back(strip.dk);
    dv.push_back(strip.dv);
  }
  return {dq, at::cat(dk, 1), at::cat(dv, 1)};
}

BackendGrads flash_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  return pays_in_strips(call) ? backward_in_strips(call) : one_call_backward(call);
}

// Each of them is held true by a test that calls the operator itself.
std::vector<Quirk> flash_quirks() {
  return {{"empty rows",
           "a row that sees no key has the LSE 0, which is also that of one key with "
           "q.k = 0",
           {}},
          {"LSE of -inf in backward", "an empty row's makes dq, dk and dv NaN: it wants +inf", {}},
          {"LSE of any rank in backward", "it takes (B, H, S, 1) for (B, H, S) without a word", {}},
          {"kv_len 0", "ends the process by SIGFPE, an integer division by zero", {}},
          {"memory of out",
           "out lies in memory as q does; the LSE always with its heads innermost",
           {}},
          {"last stride", "it reads q, k and v as if their last stride were 1", {}},
          {"is_causal", "is aligned top-left where q_len is not kv_len", {}},
          {"is_causal with scale 0", "adds scale * -inf: NaN, where it should hide", {}}};
}

BackendContract flash_contract() {
  BackendContract contract;
  contract.op = "aten::_scaled_dot_product_flash_attention_for_cpu";
  contract.layout = KernelLayout::BHSD;
  contract.lse_shape = LseShape::BHS;
  contract.lse_memory = MemoryOrder::sequence_first;
  contract.empty_row_lse = EmptyRowLse::zero;
  contract.takes.causal = KernelCausal::top_left;
  contract.takes.boolean_mask = false;
  contract.takes.grouped_heads = false;  // reads out of bounds up to 2.8
  contract.takes.own_v_head_dim = false;
  contract.quirks = flash_quirks();
  contract.own_v_head_dim = false;
  contract.narrow_exp_error = kFastExpError;
  return contract;
}

Support supports(const Problem& problem) {
  if (problem.head_dim == problem.v_head_dim) return Support::yes();
  return Support::no("flash_cpu wants dv = d: the head_dim of q and k is " +
                     std::to_string(problem.head_dim) + ", that of v " +
                     std::to_string(problem.v_head_dim));
}

}  // namespace

Backend flash_cpu_backend() {
  Backend backend;
  backend.name = "flash_cpu";
  backend.device = "cpu";
  backend.contract = flash_contract();
  backend.supports = supports;
  backend.forward = flash_forward;
  backend.backward = flash_backward;
  return backend;
}

}  // namespace attncheck

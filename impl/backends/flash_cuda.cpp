#include "impl/backends/flash_cuda.h"

#include <vector>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "impl/backends/cuda_call.h"
#include "impl/backends/cuda_device.h"
#include "impl/backends/cuda_support.h"
#include "impl/backends/diagonal_pieces.h"
#include "impl/backends/visibility.h"

namespace attncheck {
namespace {

at::Tensor first_keys(const at::Tensor& x, const DiagonalPiece& piece) {
  return x.narrow(2, 0, piece.keys);
}

at::Tensor queries_of(const at::Tensor& x, const DiagonalPiece& piece) {
  return x.narrow(2, piece.first_query, piece.queries);
}

struct FlashCall {
  explicit FlashCall(const BackendInputs& block)
      : device(cuda_device_of(block.q)),
        q(to_cuda_kernel(block.q, device)),
        k(to_cuda_kernel(block.k, device)),
        v(to_cuda_kernel(block.v, device)) {
    TORCH_CHECK(!block.mask.defined(), "flash_cuda takes no mask: use cudnn or efficient_cuda");
    pieces = diagonal_pieces(q.size(2), k.size(2), block.diagonal);
  }

  at::Device device;
  at::Tensor q, k, v;  // (B, H, S, D)
  std::vector<DiagonalPiece> pieces;
};

BackendForward flash_cuda_forward(const BackendInputs& block) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  const FlashCall call(block);
  at::Tensor out = at::zeros_like(call.q);
  at::Tensor lse = at::full({call.q.size(0), call.q.size(1), call.q.size(2)}, -kInfinity,
                            call.q.options().dtype(at::kFloat));
  BackendForward result;
  for (const DiagonalPiece& piece : call.pieces) {
    const auto [o, l, cum_q, cum_k, max_q, max_k, seed, offset, debug] =
        at::_scaled_dot_product_flash_attention(
            queries_of(call.q, piece), first_keys(call.k, piece), first_keys(call.v, piece),
            /*dropout_p=*/0.0, piece.causal, /*return_debug_mask=*/false, block.scale);
    queries_of(out, piece).copy_(o);
    queries_of(lse, piece).copy_(l);
    result.aux = {seed, offset};
    result.returned = {o, l, cum_q, cum_k, max_q, max_k, seed, offset, debug};
  }
  if (call.pieces.size() != 1 || call.pieces[0].queries != call.q.size(2)) result.returned.clear();
  result.out = from_cuda_kernel(out, block.q);
  result.lse = lse.to(block.q.device());
  return result;
}

BackendGrads flash_cuda_plain_backward(const BackendBackward& call) {
  const FlashCall kernel(call.block);
  const at::Tensor grad_out = to_cuda_kernel(call.grad_out, kernel.device);
  const at::Tensor out = to_cuda_kernel(call.out, kernel.device);
  const at::Tensor lse = lse_for_kernel(call, kernel.device);
  const at::Tensor no_lengths;  // of sequences packed into one: there are none
  at::Tensor dq = at::zeros_like(kernel.q);
  at::Tensor dk = at::zeros_like(kernel.k, at::kFloat), dv = at::zeros_like(kernel.v, at::kFloat);
  for (const DiagonalPiece& piece : kernel.pieces) {
    const auto [q_part, k_part, v_part] = at::_scaled_dot_product_flash_attention_backward(
        queries_of(grad_out, piece), queries_of(kernel.q, piece), first_keys(kernel.k, piece),
        first_keys(kernel.v, piece), queries_of(out, piece), queries_of(lse, piece).contiguous(),
        no_lengths, no_lengths, /*max_q=*/piece.queries, /*max_k=*/piece.keys, /*dropout_p=*/0.0,
        piece.causal, /*philox_seed=*/call.aux.at(0).toTensor(),
        /*philox_offset=*/call.aux.at(1).toTensor(), call.block.scale);
    queries_of(dq, piece).copy_(q_part);
    first_keys(dk, piece).add_(k_part);
    first_keys(dv, piece).add_(v_part);
  }
  return {from_cuda_kernel(dq, call.block.q),
          from_cuda_kernel(dk.to(kernel.k.scalar_type()), call.block.k),
          from_cuda_kernel(dv.to(kernel.v.scalar_type()), call.block.v)};
}

BackendGrads flash_cuda_backward(const BackendBackward& call) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  return with_lse_cotangent(call, flash_cuda_plain_backward);
}

BackendContract flash_cuda_contract() {
  BackendContract contract;
  contract.op = "aten::_scaled_dot_product_flash_attention";
  contract.layout = KernelLayout::BHSD;
  contract.out_memory = MemoryOrder::sequence_first;
  contract.lse_shape = LseShape::BHS;
  contract.lse_memory = MemoryOrder::as_shaped;
  contract.lse_dtype = LseDType::float32;
  contract.takes.causal = KernelCausal::bottom_right;
  contract.takes.additive_mask = false;
  contract.takes.boolean_mask = false;
  contract.takes.own_v_head_dim = false;
  contract.takes.head_dim_multiple = 8;
  contract.takes.greatest_head_dim = 256;
  contract.takes.dtypes = {DType::bf16, DType::f16};
  contract.saved = {"q", "k", "v", "out", "lse", "rng_state", "unused"};
  contract.own_v_head_dim = false;
  contract.masks = false;
  contract.takes_grad_lse = true;
  contract.deterministic = false;
  return contract;
}

Support flash_cuda_supports(const Problem& problem) {
  const CudaDevice device = cuda_device();
  return device.here ? flash_cuda_support(problem, device.sm) : device.here;
}

}  // namespace

Backend flash_cuda_backend() {
  Backend backend;
  backend.name = "flash_cuda";
  backend.device = "cuda";
  backend.contract = flash_cuda_contract();
  backend.supports = flash_cuda_supports;
  backend.forward = flash_cuda_forward;
  backend.backward = flash_cuda_backward;
  return backend;
}

}  // namespace attncheck

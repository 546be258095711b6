#include "mutants/house_kernels.h"

#include <cmath>
#include <functional>
#include <utility>

#include <ATen/core/ivalue.h>
#include <ATen/ops/constant_pad_nd.h>

#include "impl/backends/attend.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/backends/padded_head_dim.h"
#include "mutants/entry.h"

namespace attncheck {
namespace {

constexpr int64_t kMultiple = 8;

// LibTorch's fused CPU kernel, which returned something else than it does.
Backend returning(const std::function<void(BackendForward&)>& change) {
  Backend backend = flash_cpu_backend();
  backend.forward = [right = backend.forward, change](const BackendInputs& block) {
    BackendForward result = right(block);
    change(result);
    return result;
  };
  return backend;
}

void one_value_fewer(BackendForward& result) {
  result.returned.pop_back();
}

void lse_in_the_dtype_of_q(BackendForward& result) {
  result.lse = result.lse.to(result.out.scalar_type());
  result.returned[1] = result.lse;
}

void lse_by_head_in_memory(BackendForward& result) {
  result.lse = result.lse.contiguous();
  result.returned[1] = result.lse;
}

void out_by_token(BackendForward& result) {
  result.returned[0] = result.out;
}

void lse_is_not_there(BackendForward& result) {
  result.returned[1] = at::Tensor();
}

// (B, H, S) with zeros up to a multiple of 32, where kernels of this form have +inf.
Backend padded_with_zeros() {
  Backend backend = math_backend();
  backend.contract.lse_shape = LseShape::BHS32;
  backend.forward = [right = backend.forward](const BackendInputs& block) {
    BackendForward result = right(block);
    const int64_t rows = result.lse.size(2);
    result.lse = at::constant_pad_nd(result.lse, {0, (rows + 31) / 32 * 32 - rows}, 0.0);
    return result;
  };
  return backend;
}

// A backward that was given something else than the global out and lse.
Backend given(const std::function<void(const Backend&, BackendBackward&)>& change) {
  Backend backend = math_backend();
  backend.backward = [right = math_backend(), change](BackendBackward call) {
    change(right, call);
    return right.backward(call);
  };
  return backend;
}

void lse_of_the_block(const Backend& right, BackendBackward& call) {
  call.lse = attend(right, call.block).lse;
}

// Whose rowsum(dout o out) is then the block's own.
void out_of_the_block(const Backend& right, BackendBackward& call) {
  call.out = attend(right, call.block).out;
}

// As if nobody had given a scale: 1 / sqrt of the padded head_dim in place of the own one.
BackendInputs scaled_by_padded_size(BackendInputs block) {
  const auto own = static_cast<double>(block.q.size(-1));
  const auto padded = static_cast<double>(with_padded_head_dim(block, kMultiple).q.size(-1));
  block.scale *= std::sqrt(own / padded);
  return block;
}

Backend takes_the_scale_of_the_padded_size() {
  Backend backend = padded_head_dim(math_backend(), kMultiple);
  backend.forward = [right = backend.forward](const BackendInputs& block) {
    return right(scaled_by_padded_size(block));
  };
  backend.backward = [right = backend.backward](BackendBackward call) {
    call.block = scaled_by_padded_size(call.block);
    return right(call);
  };
  return backend;
}

Backend leaves_gradients_padded() {
  Backend backend = padded_head_dim(math_backend(), kMultiple);
  backend.backward = [](const BackendBackward& call) {
    return math_backend().backward(with_padded_head_dim(call, kMultiple));
  };
  return backend;
}

at::Tensor trailing(const at::Tensor& x, const at::Tensor& of) {
  return x.narrow(-1, x.size(-1) - of.size(-1), of.size(-1));
}

Backend takes_the_trailing_gradients() {
  Backend backend = padded_head_dim(math_backend(), kMultiple);
  backend.backward = [](const BackendBackward& call) -> BackendGrads {
    const BackendGrads grads = math_backend().backward(with_padded_head_dim(call, kMultiple));
    return {trailing(grads.dq, call.block.q), trailing(grads.dk, call.block.k),
            trailing(grads.dv, call.block.v)};
  };
  return backend;
}

Mutant kernel_mutant(const std::string& name, const std::string& fault, const std::string& property,
                     const std::string& smallest, Backend backend) {
  backend.name = name;
  return make_mutant({.name = "house_kernel_" + name,
                      .source = "house",
                      .fault = fault,
                      .property = property,
                      .smallest = "mesh=1x1 " + smallest},
                     std::move(backend));
}

}  // namespace

std::vector<Mutant> house_kernel_mutants() {
  const std::string form = "kernel_return_matches_schema", blocks = "key_blocks_sum_to_the_whole";
  return {
      kernel_mutant("returns_one_value_fewer", "the operator returns out without its lse", form,
                    "q=1 d=1", returning(one_value_fewer)),
      kernel_mutant("lse_in_the_dtype_of_q", "the raw lse is in q's dtype, bfloat16", form,
                    "q=1 d=1 dtype=bf16", returning(lse_in_the_dtype_of_q)),
      kernel_mutant("lse_by_head_in_memory", "lse lies head by head in memory, declared by token",
                    form, "q=2 h=2 d=1", returning(lse_by_head_in_memory)),
      kernel_mutant("out_by_token", "out has axes (B, S, H, D), declared (B, H, S, D)", form,
                    "q=2 d=1", returning(out_by_token)),
      kernel_mutant("lse_is_undefined", "the operator returns an undefined lse", form, "q=1 d=1",
                    returning(lse_is_not_there)),
      kernel_mutant("pads_lse_with_zeros", "the rows behind the last query have lse 0, not +inf",
                    "lse_has_declared_shape", "q=1 d=1", padded_with_zeros()),
      kernel_mutant("lse_of_the_block", "backward of a block normalises by the block's own lse",
                    blocks, "q=1 kv=2 d=1", given(lse_of_the_block)),
      kernel_mutant("delta_of_the_block",
                    "backward of a block takes rowsum(dout o out) of the block's own out", blocks,
                    "q=1 kv=2 d=1", given(out_of_the_block)),
      kernel_mutant("scale_of_the_padded_size", "the scale is that of the padded head_dim",
                    "lse_matches_reference", "q=1 d=1", takes_the_scale_of_the_padded_size()),
      kernel_mutant("gradients_stay_padded", "gradients have the padded head_dim",
                    "gradient_dtype_and_shape_match_input", "q=1 d=1", leaves_gradients_padded()),
      kernel_mutant("trailing_gradients",
                    "of the padded gradients the trailing components are taken",
                    "gradients_match_reference", "q=1 d=1", takes_the_trailing_gradients()),
  };
}

}  // namespace attncheck

#include "impl/backends/lse_columns.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

namespace attncheck {
namespace {

at::Tensor padded(const at::Tensor& x, int64_t columns, double value = 0.0) {
  return at::constant_pad_nd(x, {0, columns}, value);
}

// The cotangent of the log-sum-exp as a column of grad_out.
at::Tensor lse_column(const BackendBackward& call) {
  return call.grad_lse.to(call.grad_out.scalar_type()).unsqueeze(-1);
}

// `columns` more: the first one as the header says, the others zeros.
BackendBackward widened(const BackendBackward& call, int64_t columns, bool own_v_head_dim) {
  BackendBackward wide = call;
  wide.block.v = padded(padded(call.block.v, 1, 1.0), columns - 1);
  wide.grad_out = padded(at::cat({call.grad_out, lse_column(call)}, -1), columns - 1);
  wide.out = padded(call.out, columns);
  wide.grad_lse = at::Tensor();
  if (own_v_head_dim) return wide;
  wide.block.q = padded(call.block.q, columns);
  wide.block.k = padded(call.block.k, columns);
  return wide;
}

// The first of `columns` alone, without the values there are.
BackendBackward column_alone(const BackendBackward& call, int64_t columns) {
  BackendBackward alone = call;
  alone.block.v = padded(at::ones_like(call.block.v.narrow(-1, 0, 1)), columns - 1);
  alone.grad_out = padded(lse_column(call), columns - 1);
  alone.out = at::zeros_like(alone.grad_out);
  alone.grad_lse = at::Tensor();
  return alone;
}

BackendGrads in_two_calls(const Backend& backend, BackendBackward call, int64_t columns) {
  const BackendGrads by_lse = backend.backward(column_alone(call, columns));
  call.grad_lse = at::Tensor();
  const BackendGrads by_out = backend.backward(call);
  return {by_out.dq + by_lse.dq, by_out.dk + by_lse.dk, by_out.dv};
}

}  // namespace

BackendGrads backward_by_columns(const Backend& backend, const BackendBackward& call) {
  const BackendContract& contract = backend.contract;
  const int64_t columns = contract.takes.head_dim_multiple;
  const int64_t d = call.block.q.size(3), dv = call.block.v.size(3);
  const int64_t greatest = contract.takes.greatest_head_dim;
  if (greatest > 0 && dv + columns > greatest) {
    return in_two_calls(backend, call, contract.own_v_head_dim ? columns : d);
  }
  const BackendGrads wide = backend.backward(widened(call, columns, contract.own_v_head_dim));
  return {wide.dq.narrow(-1, 0, d), wide.dk.narrow(-1, 0, d), wide.dv.narrow(-1, 0, dv)};
}

}  // namespace attncheck

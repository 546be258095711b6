#include "harness/expectation.h"

#include <algorithm>
#include <utility>

#include "impl/contract/dtypes.h"
#include "properties/inputs.h"
#include "properties/reference_inputs.h"
#include "reference/evaluation.h"

namespace attncheck {
namespace {

bool is_narrow(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16;
}

}  // namespace

reference::BoundContext bound_context(const Request& request, const BackendContract* contract) {
  const Case& c = request.case_;
  const at::ScalarType io = scalar_type(c.problem.dtype);
  const int merges = std::max(c.mesh.ring, request.key_blocks);
  reference::BoundContext context{io, lse_scalar_type(io), merges};
  if (!is_narrow(c.problem.dtype)) return context;
  if (contract != nullptr) context.exp_error = contract->narrow_exp_error;
  context.narrow_sums = !c.convert_to_fp32;
  return context;
}

Expected expect(const Request& request, const reference::BoundContext& context) {
  const InputTensors tensors = global_inputs(request);
  Expected expected;
  expected.inputs = reference_inputs(request, tensors);
  expected.dout = tensors.dout;
  expected.dlse = tensors.dlse;
  reference::Evaluation evaluation =
      reference::evaluate(expected.inputs, tensors.dout, tensors.dlse, context);
  expected.forward = std::move(evaluation.forward);
  expected.gradients = std::move(evaluation.gradients);
  expected.bounds = std::move(evaluation.bounds);
  return expected;
}

std::string expectation_key(Request request, const reference::BoundContext& context) {
  request.case_.impl = "reference";
  request.case_.transport = "any";
  if (context.exp_error == 0) request.case_.backend = "any";
  request.case_.grad = {};
  request.case_.return_lse = true;
  request.case_.convert_to_fp32 = !context.narrow_sums;
  request.case_.rotate = Rotate::allgather;
  request.case_.schedule.clear();
  if (request.value != ValueEdit::shard_indicator &&
      request.dout.kind != Cotangent::Kind::one_rank) {
    request.case_.mesh = {request.case_.mesh.ring, 1};
  }
  request.poison.reset();
  request.contiguous = request.keep_inputs = request.fresh_ranks = false;
  request.watch = request.embedded = false;
  request.company = Company::none;
  request.companion.reset();
  request.repeat = 0;
  return to_text(request);
}

}  // namespace attncheck

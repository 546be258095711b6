#include "sim/vector_math.h"

#include <mutex>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/acos.h>
#include <ATen/ops/asin.h>
#include <ATen/ops/atan.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/erf.h>
#include <ATen/ops/erfc.h>
#include <ATen/ops/erfinv.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/exp2.h>
#include <ATen/ops/expm1.h>
#include <ATen/ops/full.h>
#include <ATen/ops/lgamma.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log10.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log2.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tan.h>
#include <ATen/ops/tanh.h>

namespace attncheck::sim {
namespace {

using Function = at::Tensor (*)(const at::Tensor&);

constexpr Function kFunctions[] = {at::acos,   at::asin,   at::atan,  at::cos,   at::erf,
                                   at::erfc,   at::erfinv, at::exp,   at::exp2,  at::expm1,
                                   at::lgamma, at::log,    at::log10, at::log1p, at::log2,
                                   at::sin,    at::sqrt,   at::tan,   at::tanh};

void call_each_once() {
  const at::AutoDispatchBelowAutograd no_autograd;
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    const at::Tensor number = at::full({1}, 0.5, dtype);
    for (const Function function : kFunctions) function(number);
  }
}

}  // namespace

void settle_vector_math() {
  static std::once_flag once;
  std::call_once(once, call_each_once);
}

}  // namespace attncheck::sim

#include "impl/backends/normalise_lse.h"

#include <cmath>
#include <limits>
#include <vector>

#include <ATen/TensorOperators.h>

#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"
#include "impl/contract/raw_form.h"

namespace attncheck {
namespace {

at::Tensor to_bsh(LseShape shape, const at::Tensor& raw, int64_t q_len) {
  switch (shape) {
    case LseShape::BHS:
      return raw.transpose(1, 2);
    case LseShape::BHS1:
      return raw.squeeze(-1).transpose(1, 2);
    case LseShape::BHS32:
      return raw.narrow(2, 0, q_len).transpose(1, 2);
    case LseShape::BSH:
      break;
  }
  return raw;
}

}  // namespace

at::Tensor normalise_lse(const BackendContract& contract, const at::Tensor& raw,
                         const BackendInputs& block) {
  const auto& q = block.q;
  const auto declared = raw_lse_sizes(contract, q.size(0), q.size(1), q.size(2));
  TORCH_CHECK(raw.defined(), "the kernel returned no LSE, its contract declares one of shape ",
              at::IntArrayRef(declared));
  TORCH_CHECK(raw.sizes() == declared, "the kernel returned an LSE of shape ", raw.sizes(),
              ", its contract declares ", at::IntArrayRef(declared));
  at::Tensor lse = to_bsh(contract.lse_shape, raw, q.size(1));
  const auto type = lse_scalar_type(q.scalar_type());
  if (lse.scalar_type() != type) lse = lse.to(type);
  const double factor = std::log(contract.lse_base);
  if (factor != 1.0) lse = lse * factor;
  return fill_empty_rows(lse, block, -std::numeric_limits<double>::infinity());
}

}  // namespace attncheck

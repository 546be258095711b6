#include "impl/backends/normalise_lse.h"

#include <cmath>
#include <limits>
#include <vector>

#include <ATen/TensorOperators.h>

#include "impl/backends/visibility.h"
#include "impl/contract/dtypes.h"

namespace attncheck {
namespace {

std::vector<int64_t> raw_shape(LseShape shape, int64_t batch, int64_t q_len, int64_t heads) {
  switch (shape) {
    case LseShape::BHS:
      return {batch, heads, q_len};
    case LseShape::BHS1:
      return {batch, heads, q_len, 1};
    case LseShape::BSH:
      break;
  }
  return {batch, q_len, heads};
}

at::Tensor to_bsh(LseShape shape, const at::Tensor& raw) {
  if (shape == LseShape::BSH) return raw;
  return (shape == LseShape::BHS1 ? raw.squeeze(-1) : raw).transpose(1, 2);
}

}  // namespace

at::Tensor normalise_lse(const BackendContract& contract, const at::Tensor& raw,
                         const BackendInputs& block) {
  const auto& q = block.q;
  const auto declared = raw_shape(contract.lse_shape, q.size(0), q.size(1), q.size(2));
  TORCH_CHECK(raw.defined(), "the kernel returned no LSE, its contract declares one of shape ",
              at::IntArrayRef(declared));
  TORCH_CHECK(raw.sizes() == declared, "the kernel returned an LSE of shape ", raw.sizes(),
              ", its contract declares ", at::IntArrayRef(declared));
  at::Tensor lse = to_bsh(contract.lse_shape, raw);
  const auto type = lse_scalar_type(q.scalar_type());
  if (lse.scalar_type() != type) lse = lse.to(type);
  const double factor = std::log(contract.lse_base);
  if (factor != 1.0) lse = lse * factor;
  return fill_empty_rows(lse, block, -std::numeric_limits<double>::infinity());
}

}  // namespace attncheck

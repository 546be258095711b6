#include "impl/collectives/packing.h"

#include <functional>
#include <numeric>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>

namespace attncheck {

int64_t element_count(const Sizes& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// The elements of all pieces, end to end.
at::Tensor packed(const std::vector<at::Tensor>& pieces) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  int64_t total = 0;
  for (const auto& piece : pieces) total += piece.numel();
  for (const auto& piece : pieces) {
    if (piece.numel() == total) return piece.contiguous().view(-1);
  }
  const at::Tensor flat = at::empty({total}, pieces.front().options());
  int64_t begin = 0;
  for (const auto& piece : pieces) {
    flat.narrow(0, begin, piece.numel()).view(piece.sizes()).copy_(piece);
    begin += piece.numel();
  }
  return flat;
}

std::vector<at::Tensor> unpacked(const at::Tensor& flat, const std::vector<Sizes>& shapes) {
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  std::vector<at::Tensor> pieces;
  int64_t begin = 0;
  for (const auto& shape : shapes) {
    pieces.push_back(flat.narrow(0, begin, element_count(shape)).view(shape));
    begin += element_count(shape);
  }
  return pieces;
}

}  // namespace attncheck

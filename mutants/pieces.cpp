#include "mutants/pieces.h"

namespace attncheck {

at::Tensor in_pieces(const at::Tensor& x, int64_t ranks, int64_t dim) {
  return x.unflatten(dim, {ranks, x.size(dim) / ranks})
      .movedim(dim, 0)
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor joined_pieces(const at::Tensor& pieces, int64_t dim) {
  return pieces.movedim(0, dim).clone(at::MemoryFormat::Contiguous).flatten(dim, dim + 1);
}

}  // namespace attncheck

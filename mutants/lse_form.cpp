#include "mutants/lse_form.h"

#include <ATen/ops/constant_pad_nd.h>

#include "mutants/axes.h"
#include "mutants/entry.h"
#include "mutants/parents.h"

namespace attncheck {
namespace {

constexpr int64_t kRowsOfATile = 32;

int64_t rows_left_open(int64_t rows) {
  return (kRowsOfATile - rows % kRowsOfATile) % kRowsOfATile;
}

// The kernel fills its last tile of 32 rows up; nobody takes the rows off again.
PassForward in_whole_tiles(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.lse =
        at::constant_pad_nd(result.lse, {0, 0, 0, rows_left_open(q.size(kSequenceAxis))}, 0);
    return result;
  };
}

PassBackward of_whole_tiles(const PassBackward& right) {
  return [right](const AttentionSaved& saved, const at::Tensor& grad_out,
                 const at::Tensor& grad_lse) {
    if (!grad_lse.defined()) return right(saved, grad_out, grad_lse);
    return right(saved, grad_out, grad_lse.narrow(kSequenceAxis, 0, grad_out.size(kSequenceAxis)));
  };
}

// As many tokens as heads: taken for (B, H, S), which it would be if the second axis were the
// heads'.
at::Tensor guessed(const at::Tensor& lse) {
  return lse.size(1) == lse.size(2) ? lse.transpose(1, 2) : lse;
}

PassForward guesses_the_axes(const PassForward& right) {
  return [right](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    AttentionForward result = right(q, k, v);
    result.lse = guessed(result.lse).contiguous();
    return result;
  };
}

PassBackward of_guessed_axes(const PassBackward& right) {
  return
      [right](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
        return right(saved, grad_out, grad_lse.defined() ? guessed(grad_lse) : grad_lse);
      };
}

}  // namespace

std::vector<Mutant> lse_form_mutants() {
  const Parent padded = with_backward(with_forward(ring_parent(), in_whole_tiles), of_whole_tiles);
  const Parent guess =
      with_backward(with_forward(ring_parent(), guesses_the_axes), of_guessed_axes);
  return {
      make_mutant({.name = "B10",
                   .source = "yunchang #122",
                   .fault = "lse keeps the rows that fill its kernel's last tile of 32",
                   .property = "lse_has_declared_shape",
                   .smallest = "mesh=1x1 q=16 d=1"},
                  implementation_of("keeps_whole_tiles", padded)),
      make_mutant({.name = "B11",
                   .source = "yunchang #128",
                   .fault = "the axes of lse are guessed from its sizes: wrong for s = h",
                   .property = "lse_matches_reference",
                   .smallest = "mesh=1x1 b=2 q=4 h=4 d=1"},
                  implementation_of("guesses_the_axes", guess)),
  };
}

}  // namespace attncheck

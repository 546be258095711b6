#include "mutants/empty_row_lse.h"

#include <limits>

#include <ATen/TensorOperators.h>

#include "mutants/entry.h"
#include "mutants/ring_tour.h"

namespace attncheck {
namespace {

constexpr double kInfiniteLse = std::numeric_limits<double>::infinity();
constexpr const char* kEmptyRows = "empty_rows_are_zero_and_minus_infinity";
constexpr const char* kTwoEmptyRows = "mesh=2x1 q=4 kv=2 d=1 causal=1 align=br";

Implementation with_empty_row_lse(double value) {
  const auto change = [value](RingTour& tour) {
    tour.attend = [right = tour.attend, value](const BackendInputs& block) {
      TourStop stop = right(block);
      const at::Tensor& lse = stop.partial.lse;
      stop.partial.lse = lse.masked_fill(lse == -kInfiniteLse, value);
      return stop;
    };
  };
  return implementation_of("empty_row_lse", touring_parent(change));
}

}  // namespace

std::vector<Mutant> empty_row_lse_mutants() {
  return {
      make_mutant({.name = "B8",
                   .source = "flash-attention #978",
                   .fault = "the lse of a row with no key is +inf",
                   .property = kEmptyRows,
                   .smallest = kTwoEmptyRows},
                  with_empty_row_lse(kInfiniteLse)),
      make_mutant({.name = "B9",
                   .source = "pytorch #134650; flash for CPU in LibTorch",
                   .fault = "the lse of a row with no key is 0",
                   .property = kEmptyRows,
                   .smallest = kTwoEmptyRows},
                  with_empty_row_lse(0.0)),
  };
}

}  // namespace attncheck

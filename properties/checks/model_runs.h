#pragma once

#include <map>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "properties/lab.h"
#include "properties/verdict.h"

namespace attncheck {

// What the model of a case gives on one rank in float64, and how far an honest run in the case's
// dtype may be from it. All by the names of the tensors: "out", "loss", "gradient of NAME".
struct SingleRank {
  std::map<std::string, at::Tensor> exact;  // float64; on math where the backend does not take that
  std::map<std::string, double> bounds;     // of every element
  std::optional<Verdict> missing;           // why there is none: one of its runs ended early
};

// The bound is measured, since no closed form follows rounding through a whole model. A single-rank
// run in the case's dtype (in float32 where that is float64, scaled by the ratio of the units of
// roundoff u) lies `deviation` from the exact one at most in a tensor t. So does one in another
// dtype, scaled likewise (bfloat16 for the wide ones, float32 for the halves; left out where it
// does not run): one run may come out right by luck in all tensors at once, where a norm or a
// softmax multiplies a rounding by much and the rounding happened to be small. The larger deviation
// counts. Then
//
//   bound_t = c * max(deviation_t, typical * |t|, u * |G|)
//
// |t| is the largest element of t, `typical` the median of deviation / |t| over the gradients: a
// tensor of few elements may have come out right by luck. |G| is the largest element of all
// gradients (of t itself where t is no gradient): one that is zero in exact arithmetic is what
// remains of terms that size. Parameters and inputs are exact in every dtype, so nothing but
// rounding is measured.
SingleRank single_rank(const Case& c, Lab& lab);

}  // namespace attncheck

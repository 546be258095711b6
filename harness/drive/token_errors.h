#pragma once

#include <string>
#include <vector>

#include "properties/lab.h"

namespace attncheck {

// The largest errors of one token's values, over batches, heads and channels. Infinite where a
// value is not finite, or where one is that should not be.
struct TokenError {
  double error = 0;
  double share = 0;  // of its bound: above 1 it is a failure
  int owner = -1;    // the rank that holds it; of a joint token, the one that is furthest off
};

// Of one tensor, by place in the whole sequence.
struct TokenErrors {
  std::string tensor;  // out, lse, dq, dk or dv
  std::vector<TokenError> tokens;
};

// How far the case's base run is from the reference along the sequence. Tensors that a rank lacks,
// or has in another shape, are left out.
std::vector<TokenErrors> token_errors(const Case& c, Lab& lab);

}  // namespace attncheck

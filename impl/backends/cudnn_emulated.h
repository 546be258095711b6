#pragma once

#include <optional>
#include <string>
#include <vector>

#include "impl/contract/backend.h"

namespace attncheck {

// "cudnn_emulated:2.9": cuDNN's attention as that release of LibTorch returns it, on a CPU: the
// kernel of cudnn_emulated_kernel.h, of which the release decides the shape of the log-sum-exp,
// (B, H, S) before 2.9 and (B, H, S, 1) from then on. What is unlike the contract in that kernel is
// made like it:
// - boolean masks and diagonals other than 0 become additive masks in q's dtype;
// - tensors whose last stride is not 1 are copied;
// - backward gets +inf, not -inf, as the log-sum-exp of a row without keys;
// - its backward does not take one query with one key. A problem that is no more is refused; a
//   block that a ring cuts so small gets a second key, which is hidden.
Backend cudnn_emulated_backend(const std::string& release);

// The releases that may be named, "2.5" to "2.15": from the one in which the backward took its
// present arguments to the newest that is known.
std::vector<std::string> cudnn_emulated_releases();

}  // namespace attncheck

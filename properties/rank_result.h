#pragma once

#include <map>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "properties/trace.h"

namespace attncheck {

// Where a run of a rank ended early. `process`: the rank itself died or fell silent.
enum class Phase { supports, forward, backward, exchange, returned, process };
const char* to_text(Phase phase);

struct RankError {
  Phase phase = Phase::forward;
  std::string text;
};

// What one rank gave. Names of tensors: an implementation's "out", "lse" (its raw shape), "dq",
// "dk", "dv"; a collective's "y" and "dx"; for impl=local also "raw_lse", what the kernel itself
// returned, and "direct_dq", "direct_dk", "direct_dv", the gradients of a direct call of the
// backend (autograd would cast and reduce them in silence). A gradient that came back undefined is
// absent. A model's "out", "loss" (this rank's part), "gradient of NAME" for each parameter, and
// "replicated NAME" for what all ranks should have alike. With keep_inputs also "q_given",
// "q_after_forward" and "q_after_backward", likewise of k, v, dout and dlse; of a companion that is
// interleaved "other_out", .... Facts: for impl=local "kernel_return" (kernel_return.h), what the
// kernel itself returned, and "kernel_aux", how many values its backward wants beside those;
// "supports" = reason when the subject refuses; "lse_requires_grad" = "0" | "1"; "device" = where
// its tensors were, unless in CPU memory; "threads_left" = how many threads its process, of the
// number "process", had more after the run than before, where ranks have processes and some were.
struct RankResult {
  int rank = 0;
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, std::string> facts;
  std::optional<RankError> error;
  // Of a watched request: the most bytes of CPU tensors that the subject held at a time, beside its
  // inputs and cotangents.
  std::optional<int64_t> peak_bytes;
  // From the coordinator, not from the rank: absent where the transport does not see exchanges.
  std::optional<RankTrace> trace;
};

// Bytes that cross a process border; from_bytes(to_bytes(r)) gives the same bits, but no trace.
// from_bytes throws c10::Error for bytes that are no RankResult.
std::string to_bytes(const RankResult& result);
RankResult rank_result_from_bytes(const std::string& bytes);

}  // namespace attncheck

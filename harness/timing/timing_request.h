#pragma once

#include <string>
#include <vector>

#include "harness/timing/throughput.h"
#include "problem/case.h"

namespace attncheck::timing {

// With which each line begins, so that a rank tells the request from a case's.
inline constexpr const char* kTimingWord = "time";

// What the ranks of one world time in one round, one after the other.
struct TimingRequest {
  // Forward and backward, all of one problem. Each on a mesh of all ranks, or impl=local: the
  // kernel on the whole problem, on the first rank while the others wait.
  std::vector<Case> passes;
  // Of all ranks, of a tensor as large as a rank's shard of k.
  std::vector<ExchangeKind> exchanges;
};

// "time pass CASE", "time exchange send_recv", a line each.
std::string to_text(const TimingRequest& request);
// Throws std::invalid_argument (CaseTextError for a case's part).
TimingRequest parse_timing_request(const std::string& text);

// What one rank took: seconds by round. Forward and backward of a pass; of an exchange forward
// alone; both empty where it had no part, or refused the call.
struct Laps {
  std::vector<double> forward = {}, backward = {};
  std::string refused = {};  // why
};

// By pass, then by exchange; or why there is nothing.
struct RankTimes {
  std::vector<Laps> laps;
  std::string error;
};

std::string to_bytes(const RankTimes& times);
// Throws std::invalid_argument for bytes that are none.
RankTimes rank_times_from_bytes(const std::string& bytes);

// Elements of the tensor that the exchanges of so many ranks carry: those of a rank's shard of k,
// rounded up to a multiple of the ranks, so that an all-to-all can cut it.
int64_t exchanged_elements(const Problem& problem, int ranks);

}  // namespace attncheck::timing

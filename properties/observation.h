#pragma once

#include <vector>

#include "properties/rank_result.h"

namespace attncheck {

// All that one run of one request gave, rank by rank.
struct Observation {
  std::vector<RankResult> ranks;  // by mesh rank
  // A rank died or fell silent, and on fresh ranks it did not happen again: nothing can be
  // concluded.
  bool unrepeatable = false;
};

// The rank whose error stands first in time: forward before backward; nullptr when all ran to the
// end.
const RankResult* first_failed_rank(const Observation& observation);

// "rank 1, backward: ..." of that rank.
std::string error_text(const RankResult& failed);

// The reason given when the subject refused the case on every rank; empty otherwise.
std::string refusal(const Observation& observation);

// Whether every rank has the tensor.
bool all_ranks_have(const Observation& observation, const std::string& tensor);

}  // namespace attncheck

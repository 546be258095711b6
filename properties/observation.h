#pragma once

#include <string>
#include <vector>

#include "properties/rank_result.h"

namespace attncheck {

// All that one run of one request gave, rank by rank.
struct Observation {
  std::vector<RankResult> ranks;  // by mesh rank
  // A rank died, fell silent or reported an error, and on fresh ranks it did not happen again:
  // nothing can be concluded.
  bool unrepeatable = false;
  std::string incident;  // of an unrepeatable one: which rank, and what became of it
};

// The rank whose error stands first in time: forward before backward; nullptr when all ran to the
// end.
const RankResult* first_failed_rank(const Observation& observation);

// The rank whose process died or fell silent, not only because another one did; nullptr without.
const RankResult* lost_rank(const Observation& observation);

// Whether any rank gave nothing, be it because it waited for another one: such a run costs seconds.
bool cost_ranks(const Observation& observation);

// "rank 1, backward: ..." of that rank; "rank 1 was ended by ..." of one that died.
std::string error_text(const RankResult& failed);

// The reason given when the subject refused the case on every rank; empty otherwise.
std::string refusal(const Observation& observation);

// Whether every rank has the tensor.
bool all_ranks_have(const Observation& observation, const std::string& tensor);

}  // namespace attncheck

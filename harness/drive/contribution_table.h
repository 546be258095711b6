#pragma once

#include <string>

#include "harness/drive/provenance.h"

namespace attncheck {

// A row by query rank, a column by key shard, at most 100 columns of text: words in the cells up to
// 10 ranks, one character each from there on, and no more than 80 of them.
std::string contribution_table(const ContributionMatrix& matrix);

// What is in the cells of a table of so many ranks.
std::string contribution_legend(size_t world);

}  // namespace attncheck

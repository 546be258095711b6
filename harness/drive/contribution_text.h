#pragma once

#include <string>

#include "harness/drive/provenance.h"

namespace attncheck {

// A title, then a row by query rank, a column by key shard, and what its faults mean in words.
std::string forward_text(const ContributionMatrix& matrix);
std::string query_gradient_text(const ContributionMatrix& matrix);
std::string gradient_text(const std::string& name, const ContributionMatrix& matrix);

}  // namespace attncheck

#pragma once

#include <string>
#include <vector>

namespace attncheck {

// What an error about an unknown word ends in: "; did you mean 'NEAR'?", or "" when no name is
// near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names);

}  // namespace attncheck

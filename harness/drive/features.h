#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/drive/stream_spec.h"
#include "problem/case.h"

namespace attncheck {

// A number from 0 to n - 1.
using Pick = std::function<int64_t(int64_t n)>;

// Something that a case may have and a subject may refuse. Its sizes are drawn before.
struct Feature {
  std::string name;
  int percent;  // of the cases that have it, where the subject supports it
  std::function<void(Case&, const Pick&)> set;
  bool of_transport = false;  // not the subject's to refuse
};

// A problem without its joint tokens, as long as before but for them.
void drop_joint_tokens(Problem& problem);

// In the order in which they are set: a later one may overwrite what an earlier one chose.
const std::vector<Feature>& all_features();

// A small case without any feature that fits the mesh: two tokens a rank, two heads a Ulysses rank,
// head_dim 8.
Case plain_case(const StreamSpec& spec, const Mesh& mesh);

}  // namespace attncheck

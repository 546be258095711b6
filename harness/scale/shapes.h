#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck::scale {

// The self-attention of one layer of a public model.
struct Shape {
  std::string name;
  Problem problem;  // bfloat16, batch 1
  std::string what;
};

// FLUX.1-dev (1024 x 1024), Wan 2.1 14B (480p and 720p, 81 frames), Llama 3 8B and
// 70B (128 Ki tokens, causal): heads, head_dim and lengths of their published configurations.
const std::vector<Shape>& shapes();
std::vector<std::string> shape_names();
// Throws std::out_of_range for another name.
const Shape& shape(const std::string& name);

}  // namespace attncheck::scale

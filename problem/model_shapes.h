#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace attncheck {

// The self-attention of one layer of a public model.
struct ModelShape {
  std::string name;
  Problem problem;  // bfloat16, batch 1
  std::string what;
};

// Heads, head_dim and lengths of published configurations: FLUX.1-dev (1024 x 1024), Qwen-Image
// (1328 x 1328), Wan 2.1 14B (480p and 720p, 81 frames), LTX-Video (768 x 512, 121 frames),
// SkyReels-V2 14B (960 x 544, 97 frames), Llama 3 8B and 70B (128 Ki tokens, causal). A video has
// a token for each patch of its latents: LTX-Video's are 1/32 in space, 1/8 in time; Wan's and
// SkyReels' 1/16 (latents of 1/8 in patches of two) and 1/4.
const std::vector<ModelShape>& model_shapes();
std::vector<std::string> model_shape_names();
// Throws std::out_of_range for another name.
const ModelShape& model_shape(const std::string& name);

// The same attention on `factor` times the tokens, rounded to a multiple of `unit`, at least one of
// these. factor is in (0, 1].
Problem scaled(const Problem& problem, double factor, int64_t unit);

}  // namespace attncheck

#include "problem/model_shapes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace attncheck {
namespace {

Problem attention(int64_t tokens, int64_t heads, int64_t kv_heads, int64_t head_dim) {
  Problem p;
  p.dtype = DType::bf16;
  p.q_len = p.kv_len = tokens;
  p.heads = heads;
  p.kv_heads = kv_heads;
  p.head_dim = p.v_head_dim = head_dim;
  return p;
}

Problem causal(Problem p) {
  p.causal = true;
  return p;
}

constexpr int64_t kLlamaTokens = 128 * 1024;

}  // namespace

const std::vector<ModelShape>& model_shapes() {
  static const std::vector<ModelShape> all{
      {"flux", attention(4096 + 512, 24, 24, 128), "FLUX.1-dev, 1024 x 1024, text and image"},
      {"qwen_image", attention(83 * 83 + 1024, 24, 24, 128),
       "Qwen-Image, 1328 x 1328, text and image"},
      {"wan_480p", attention(32760, 40, 40, 128), "Wan 2.1 14B, 480p, 81 frames"},
      {"wan_720p", attention(75600, 40, 40, 128), "Wan 2.1 14B, 720p, 81 frames"},
      {"ltx_video", attention(24 * 16 * 16, 32, 32, 64), "LTX-Video, 768 x 512, 121 frames"},
      {"skyreels_v2", attention(60 * 34 * 25, 40, 40, 128),
       "SkyReels-V2 14B, 960 x 544, 97 frames"},
      {"llama3_8b", causal(attention(kLlamaTokens, 32, 8, 128)),
       "Llama 3 8B, 128 Ki tokens, causal"},
      {"llama3_70b", causal(attention(kLlamaTokens, 64, 8, 128)),
       "Llama 3 70B, 128 Ki tokens, causal"},
  };
  return all;
}

std::vector<std::string> model_shape_names() {
  std::vector<std::string> names;
  for (const ModelShape& one : model_shapes()) names.push_back(one.name);
  return names;
}

const ModelShape& model_shape(const std::string& name) {
  for (const ModelShape& one : model_shapes()) {
    if (one.name == name) return one;
  }
  throw std::out_of_range("no shape '" + name + "'");
}

Problem scaled(const Problem& problem, double factor, int64_t unit) {
  const auto rounded = [&](int64_t tokens) {
    const double units = static_cast<double>(tokens) * factor / static_cast<double>(unit);
    return unit * std::max<int64_t>(1, std::llround(units));
  };
  Problem p = problem;
  p.q_len = rounded(p.q_len);
  p.kv_len = rounded(p.kv_len);
  return p;
}

}  // namespace attncheck

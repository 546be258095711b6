#include "harness/scale/shapes.h"

#include <stdexcept>

namespace attncheck::scale {
namespace {

Shape attention(const char* name, int64_t tokens, int64_t heads, int64_t kv_heads, bool causal,
                const char* what) {
  Problem p;
  p.dtype = DType::bf16;
  p.batch = 1;
  p.q_len = p.kv_len = tokens;
  p.heads = heads;
  p.kv_heads = kv_heads;
  p.head_dim = p.v_head_dim = 128;
  p.causal = causal;
  return {name, p, what};
}

}  // namespace

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      attention("flux", 4096 + 512, 24, 24, false, "FLUX.1-dev, 1024 x 1024, text and image"),
      attention("wan_480p", 32760, 40, 40, false, "Wan 2.1 14B, 480p, 81 frames"),
      attention("wan_720p", 75600, 40, 40, false, "Wan 2.1 14B, 720p, 81 frames"),
      attention("llama3_8b", 131072, 32, 8, true, "Llama 3 8B, 128 Ki tokens, causal"),
      attention("llama3_70b", 131072, 64, 8, true, "Llama 3 70B, 128 Ki tokens, causal"),
  };
  return all;
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const Shape& one : shapes()) names.push_back(one.name);
  return names;
}

const Shape& shape(const std::string& name) {
  for (const Shape& one : shapes()) {
    if (one.name == name) return one;
  }
  throw std::out_of_range("no shape '" + name + "'");
}

}  // namespace attncheck::scale

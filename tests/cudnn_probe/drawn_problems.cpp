#include "tests/cudnn_probe/drawn_problems.h"

#include <random>

#include "problem/case_text.h"

namespace attncheck {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : bits_(seed) {}

  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[bits_() % values.size()];
  }
  bool once_in(uint64_t times) { return bits_() % times == 0; }
  int64_t up_to(uint64_t most) { return static_cast<int64_t>(1 + bits_() % most); }

 private:
  std::mt19937_64 bits_;
};

int64_t drawn_head_dim(Draw& draw) {
  if (draw.once_in(8)) return draw.up_to(264);
  return draw.once_in(2) ? 8 * draw.up_to(33) : draw.one_of<int64_t>({32, 64, 96, 128});
}

int64_t drawn_length(Draw& draw) {
  static const std::vector<int64_t> kLengths{1,  1,  2,   3,   5,   17,  31,  32,   33,  63,
                                             64, 65, 127, 128, 129, 200, 256, 1000, 1024};
  return draw.one_of(kLengths);
}

int64_t drawn_v_head_dim(Draw& draw, int64_t head_dim) {
  if (head_dim == 192 && draw.once_in(2)) return 128;
  return draw.once_in(4) ? drawn_head_dim(draw) : head_dim;
}

int64_t drawn_kv_heads(Draw& draw, int64_t heads) {
  const int64_t kv_heads = draw.once_in(2) ? heads : draw.up_to(static_cast<uint64_t>(heads));
  return heads % kv_heads == 0 || draw.once_in(8) ? kv_heads : 1;
}

Problem drawn_problem(Draw& draw) {
  Problem p;
  p.batch = draw.up_to(3);
  p.heads = draw.up_to(8);
  p.kv_heads = drawn_kv_heads(draw, p.heads);
  p.q_len = drawn_length(draw);
  p.kv_len = draw.once_in(2) ? p.q_len : drawn_length(draw);
  p.head_dim = drawn_head_dim(draw);
  p.v_head_dim = drawn_v_head_dim(draw, p.head_dim);
  p.dtype = draw.once_in(10) ? draw.one_of<DType>({DType::f32, DType::f64})
                             : draw.one_of<DType>({DType::bf16, DType::f16});
  p.causal = draw.once_in(3);
  p.align = draw.once_in(2) ? Align::top_left : Align::bottom_right;
  p.mask = draw.one_of<Mask>({Mask::none, Mask::none, Mask::boolean, Mask::additive});
  if (draw.once_in(8)) p.window = draw.up_to(16);
  return p;
}

}  // namespace

std::vector<Problem> drawn_problems(uint64_t seed, int count) {
  Draw draw(seed);
  std::vector<Problem> problems;
  for (int i = 0; i < count; ++i) problems.push_back(drawn_problem(draw));
  return problems;
}

std::string problem_text(const Problem& p) {
  std::string text = "b=" + std::to_string(p.batch) + " h=" + std::to_string(p.heads) +
                     " hkv=" + std::to_string(p.kv_heads) + " q=" + std::to_string(p.q_len) +
                     " kv=" + std::to_string(p.kv_len) + " d=" + std::to_string(p.head_dim) +
                     " dv=" + std::to_string(p.v_head_dim) + " " + std::string(to_text(p.dtype));
  if (p.causal) text += p.align == Align::top_left ? " causal" : " causal, bottom-right";
  if (p.mask != Mask::none) text += " mask";
  return p.window ? text + " window" : text;
}

}  // namespace attncheck

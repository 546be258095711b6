#include "tests/reference/random_problem.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <ATen/ops/empty.h>

namespace attncheck::reference {
namespace {

void shape_data(Inputs& in, Data data, const at::Tensor& offset) {
  if (data == Data::kLarge) {
    in.q.mul_(30);
    in.k.mul_(30);
  } else if (data == Data::kOffset) {
    in.k.add_(offset, 30);
  } else if (data == Data::kPositive) {
    for (at::Tensor* x : {&in.q, &in.k, &in.v}) x->abs_();
  } else if (data == Data::kTiny) {
    for (at::Tensor* x : {&in.q, &in.k, &in.v}) x->mul_(1e-6);
  }
}

}  // namespace

std::string name_of(Data data) {
  constexpr const char* kNames[] = {"normal", "large", "offset", "positive", "tiny"};
  return kNames[static_cast<int>(data)];
}

std::string name_of(Masking masking) {
  constexpr const char* kNames[] = {"none", "top_left", "bottom_right", "bool", "additive"};
  return kNames[static_cast<int>(masking)];
}

std::ostream& operator<<(std::ostream& stream, const Shape& s) {
  return stream << "b=" << s.batch << " q=" << s.q_len << " kv=" << s.kv_len << " h=" << s.heads
                << " hkv=" << s.kv_heads << " d=" << s.head_dim << " dv=" << s.value_dim;
}

int64_t ProblemSource::integer(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
}

double ProblemSource::normal() {
  constexpr double kUnit = 1.0 / (1ull << 53);
  const double radius = static_cast<double>((engine_() >> 11) + 1) * kUnit;
  const double angle = static_cast<double>(engine_() >> 11) * kUnit;
  return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
}

at::Tensor ProblemSource::normal(at::IntArrayRef sizes) {
  at::Tensor x = at::empty(sizes, at::kDouble);
  double* at = x.data_ptr<double>();
  for (int64_t i = 0; i < x.numel(); ++i) at[i] = normal();
  return x;
}

Shape ProblemSource::shape(int64_t longest, int64_t widest) {
  Shape s;
  s.batch = integer(1, 2);
  s.q_len = integer(1, longest);
  s.kv_len = integer(1, longest);
  s.kv_heads = integer(1, 2);
  s.heads = s.kv_heads * integer(1, 2);
  s.head_dim = integer(1, widest);
  s.value_dim = integer(0, 1) == 0 ? s.head_dim : integer(1, widest);
  return s;
}

void ProblemSource::mask(Inputs& in, const Shape& s, Masking masking) {
  const bool bottom_right = masking == Masking::kBottomRight;
  in.diagonal = causal_diagonal(bottom_right || masking == Masking::kTopLeft, bottom_right, s.q_len,
                                s.kv_len);
  if (masking != Masking::kBool && masking != Masking::kAdditive) return;
  const at::Tensor drawn = normal({s.batch, s.heads, s.q_len, s.kv_len});
  in.mask = masking == Masking::kBool
                ? drawn.gt(-0.5)
                : drawn.mul(3).masked_fill(drawn.lt(-1), -std::numeric_limits<double>::infinity());
}

RandomProblem ProblemSource::problem(const Shape& s, Data data, Masking masking,
                                     at::ScalarType dtype) {
  RandomProblem problem{s, {}, {}, {}};
  Inputs& in = problem.inputs;
  in.q = normal({s.batch, s.q_len, s.heads, s.head_dim});
  in.k = normal({s.batch, s.kv_len, s.kv_heads, s.head_dim});
  in.v = normal({s.batch, s.kv_len, s.kv_heads, s.value_dim});
  in.scale = 1 / std::sqrt(static_cast<double>(s.head_dim));
  in.q_positions.resize(s.q_len);
  in.kv_positions.resize(s.kv_len);
  std::iota(in.q_positions.begin(), in.q_positions.end(), 0);
  std::iota(in.kv_positions.begin(), in.kv_positions.end(), 0);
  shape_data(in, data, normal({s.head_dim}));
  mask(in, s, masking);
  for (at::Tensor* x : {&in.q, &in.k, &in.v}) *x = x->to(dtype);
  const at::ScalarType wide = dtype == at::kDouble ? at::kDouble : at::kFloat;
  if (masking == Masking::kAdditive) in.mask = in.mask.to(wide);
  problem.dout = normal({s.batch, s.q_len, s.heads, s.value_dim}).to(dtype);
  problem.dlse = normal({s.batch, s.q_len, s.heads}).to(wide);
  return problem;
}

}  // namespace attncheck::reference

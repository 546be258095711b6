#pragma once

#include <cstdint>
#include <ostream>
#include <random>
#include <string>

#include <ATen/core/Tensor.h>

#include "reference/inputs.h"

namespace attncheck::reference {

/// Kinds of data. Scores are of order: kNormal 1 to 10; kLarge 1000; kOffset like kNormal, with one
/// large vector added to every key; kPositive has no negative element anywhere; kTiny has values
/// near 1e-6.
enum class Data { kNormal, kLarge, kOffset, kPositive, kTiny };
enum class Masking { kNone, kTopLeft, kBottomRight, kBool, kAdditive };

std::string name_of(Data data);
std::string name_of(Masking masking);

struct Shape {
  int64_t batch = 1, q_len = 1, kv_len = 1, heads = 1, kv_heads = 1, head_dim = 1, value_dim = 1;
};
std::ostream& operator<<(std::ostream& stream, const Shape& shape);

struct RandomProblem {
  Shape shape;
  Inputs inputs;          // in `dtype`
  at::Tensor dout, dlse;  // dout in `dtype`, dlse in the wider of it and float32
};

/// The same seed gives the same numbers with every LibTorch: they are drawn by our own normal law.
class ProblemSource {
 public:
  explicit ProblemSource(uint64_t seed) : engine_(seed) {}

  int64_t integer(int64_t low, int64_t high);  // both included
  Shape shape(int64_t longest, int64_t widest);
  at::Tensor normal(at::IntArrayRef sizes);  // float64
  RandomProblem problem(const Shape& shape, Data data, Masking masking, at::ScalarType dtype);

 private:
  double normal();
  void mask(Inputs& inputs, const Shape& shape, Masking masking);

  std::mt19937_64 engine_;
};

}  // namespace attncheck::reference

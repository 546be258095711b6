// The emulated cuDNN's errors against the reference's bounds, on a sample of 400 problems for each
// dtype: lengths up to 8, 24 and 64, 1 to 2 key heads, groups of 1 to 2, head dims up to 32 in
// multiples of 8, all kinds of Data and of Masking, a cotangent of lse in every other one.

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <gtest/gtest.h>

#include "impl/backends/attend.h"
#include "impl/backends/cudnn_emulated.h"
#include "reference/evaluation.h"
#include "reference/roundoff.h"
#include "tests/reference/random_problem.h"

namespace attncheck {
namespace {

using reference::BoundContext;
using reference::Evaluation;
using reference::RandomProblem;
using reference::Shape;

constexpr int kProblems = 400;
constexpr std::array<const char*, 5> kResults{"out", "lse", "dq", "dk", "dv"};

int64_t multiple_of_8(int64_t n) {
  return (n + 7) / 8 * 8;
}

BackendInputs block_of(const reference::Inputs& inputs) {
  BackendInputs block;
  block.q = inputs.q;
  block.k = inputs.k;
  block.v = inputs.v;
  block.mask = inputs.mask;
  block.scale = inputs.scale;
  block.diagonal = inputs.diagonal;
  return block;
}

double largest_use(const at::Tensor& got, const at::Tensor& want, const at::Tensor& bound) {
  const at::Tensor value = got.to(at::kDouble);
  const at::Tensor equal = value.eq(want);  // equal infinities included
  return value.sub(want).abs().div(bound).masked_fill(equal, 0).max().item<double>();
}

// Largest error / bound of each result.
std::array<double, 5> uses_of(const Backend& backend, const RandomProblem& p, bool with_dlse) {
  const auto io = p.inputs.q.scalar_type();
  const BoundContext context{io, at::kFloat, 1, backend.contract.narrow_exp_error};
  const at::Tensor dlse = with_dlse ? p.dlse : at::Tensor();
  const Evaluation truth = reference::evaluate(p.inputs, p.dout, dlse, context);
  const BackendInputs block = block_of(p.inputs);
  const BlockAttention got = attend(backend, block);
  const BackendGrads grads =
      attend_backward(backend, {block, p.dout, dlse, got.out, got.lse, got.aux});
  return {largest_use(got.out, truth.forward.out, truth.bounds.out),
          largest_use(got.lse, truth.forward.lse, truth.bounds.lse),
          largest_use(grads.dq, truth.gradients.dq, truth.bounds.dq),
          largest_use(grads.dk, truth.gradients.dk, truth.bounds.dk),
          largest_use(grads.dv, truth.gradients.dv, truth.bounds.dv)};
}

// cuDNN takes a bias in q's dtype: what that rounds away is the caller's.
void round_mask(at::Tensor& mask, at::ScalarType dtype) {
  if (mask.defined() && mask.is_floating_point()) mask = mask.to(dtype);
}

// By result, sorted.
std::array<std::vector<double>, 5> sample_of(const Backend& backend, at::ScalarType dtype) {
  constexpr int64_t kLongest[] = {8, 24, 64};
  reference::ProblemSource source(13);
  std::array<std::vector<double>, 5> sample;
  for (int number = 0; number < kProblems; ++number) {
    Shape shape = source.shape(kLongest[number % 3], 32);
    shape.head_dim = multiple_of_8(shape.head_dim);
    shape.value_dim = multiple_of_8(shape.value_dim);
    RandomProblem p = source.problem(shape, reference::Data(number % 5),
                                     reference::Masking(number / 5 % 5), dtype);
    round_mask(p.inputs.mask, dtype);
    const auto uses = uses_of(backend, p, number % 2 == 0);
    for (int result = 0; result < 5; ++result) sample[result].push_back(uses[result]);
  }
  for (std::vector<double>& uses : sample) std::sort(uses.begin(), uses.end());
  return sample;
}

class CudnnBounds : public ::testing::TestWithParam<at::ScalarType> {};
INSTANTIATE_TEST_SUITE_P(DTypes, CudnnBounds, ::testing::Values(at::kBFloat16, at::kHalf),
                         [](const auto& info) { return c10::toString(info.param); });

// Nothing is out of bounds, and an error of a hundred times the typical one would be.
TEST_P(CudnnBounds, AreUsedButNotFilledByTheKernelsRoundings) {
  const auto sample = sample_of(cudnn_emulated_backend("2.9"), GetParam());
  for (int result = 0; result < 5; ++result) {
    const double largest = sample[result].back(), typical = sample[result][kProblems / 2];
    std::printf("%s %s: largest error/bound %.3f, typical %.4f\n", c10::toString(GetParam()),
                kResults[result], largest, typical);
    EXPECT_LE(largest, 2.0 / 3) << kResults[result];
    EXPECT_GE(typical, 0.01) << kResults[result];
  }
}

}  // namespace
}  // namespace attncheck

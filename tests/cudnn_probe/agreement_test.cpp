#include <cstdio>
#include <ctime>

#include <gtest/gtest.h>

#include "cudnn_probe/cudnn_probe.h"
#include "impl/backends/cuda_support.h"
#include "tests/cudnn_probe/drawn_problems.h"

namespace attncheck {
namespace {

constexpr int kProblems = 510;  // on each device
constexpr int kDevices[] = {80, 90, 100};
constexpr double kSeconds = 60;

// How many of the answers were yes, so that no answer is the only one.
struct Counts {
  int asked = 0, forward = 0, backward = 0, supported = 0, kept_back = 0;
};

std::string told(const Problem& problem, int sm, const CudnnAnswer& answer) {
  const auto words = [](const CudnnPass& pass) {
    return pass.support ? "yes, " + pass.engine : pass.support.reason;
  };
  return "SM " + std::to_string(sm) + " " + problem_text(problem) +
         "\n  cuDNN forward: " + words(answer.forward) +
         "\n  cuDNN backward: " + words(answer.backward);
}

// Both ways: what a rule takes cuDNN takes, and what it refuses cuDNN refuses. The rules are those
// of 9.19; 9.26, say, has a backward for head_dim 256 on SM 10.0.
void expect_rules(const Problem& problem, int sm, const CudnnAnswer& answer, Counts& counts) {
  const Support forward = cudnn_takes_forward(problem, sm);
  const Support backward = cudnn_takes_backward(problem, sm);
  EXPECT_EQ(forward.ok, answer.forward.support.ok)
      << told(problem, sm, answer) << "\n  rule: " << forward.reason;
  EXPECT_EQ(backward.ok, answer.backward.support.ok)
      << told(problem, sm, answer) << "\n  rule: " << backward.reason;
  counts.forward += forward ? 1 : 0;
  counts.backward += backward ? 1 : 0;
}

// One way, on every release of cuDNN: it takes whatever supports() of the backend takes.
void expect_supports(const Problem& problem, int sm, const CudnnAnswer& answer, Counts& counts) {
  const bool taken = answer.forward.support && answer.backward.support;
  const bool supported = cudnn_support(problem, sm).ok;
  if (supported) {
    EXPECT_TRUE(taken) << told(problem, sm, answer);
  }
  counts.supported += supported ? 1 : 0;
  counts.kept_back += taken && !supported ? 1 : 0;
}

void expect_stats(const Problem& p, int sm, const CudnnAnswer& answer) {
  if (!answer.forward.support) return;
  EXPECT_EQ(answer.stats_shape, (std::vector<int64_t>{p.batch, p.heads, p.q_len, 1}))
      << told(p, sm, answer);
  EXPECT_NE(answer.forward.engine, "") << told(p, sm, answer);
}

TEST(CudnnAgreement, SupportsIsWhatCudnnAndLibTorchTakeTogether) {
  if (const Support here = cudnn_here(); !here) GTEST_SKIP() << "not_run: " << here.reason;
  const bool by_release = cudnn_version().starts_with("9.19.");
  Counts counts;
  const std::clock_t start = std::clock();
  for (const Problem& problem : drawn_problems(7, kProblems)) {
    for (const int sm : kDevices) {
      const CudnnAnswer answer = ask_cudnn(problem, sm);
      if (by_release) expect_rules(problem, sm, answer, counts);
      expect_supports(problem, sm, answer, counts);
      expect_stats(problem, sm, answer);
      ++counts.asked;
    }
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, kSeconds);
  if (by_release) {
    EXPECT_LT(counts.forward, counts.asked * 9 / 10);
    EXPECT_GT(counts.backward, counts.asked / 4);
  }
  EXPECT_GT(counts.supported, counts.asked / 4);
  EXPECT_GT(counts.kept_back, 0);
  std::printf("%d answers in %.1f s: forward %d, backward %d, supports() %d, LibTorch keeps %d\n",
              counts.asked, seconds, counts.forward, counts.backward, counts.supported,
              counts.kept_back);
}

}  // namespace
}  // namespace attncheck

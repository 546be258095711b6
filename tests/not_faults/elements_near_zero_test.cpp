// N2, TransformerEngine #1557: an error larger than the element itself, on elements near zero, was
// called wrong. It is rounding: what is added up is larger than the sum.

#include <ATen/TensorOperators.h>
#include <ATen/ops/where.h>
#include <gtest/gtest.h>

#include "problem/case_text.h"
#include "properties/compare.h"
#include "tests/not_faults/real_runs.h"

namespace attncheck {
namespace {

using testing::Compared;
using testing::compared;
using testing::RealRuns;

constexpr double kPlanted = 3.0;  // times the bound of an element

// Each block's dq is rounded to bfloat16, and blocks cancel.
Case of_cancelling_blocks() {
  return parse_case("impl=ring mesh=4x1 q=32 h=4 d=16 dtype=bf16 seed=7");
}

// Error by the size of the element; 0 where that is 0.
at::Tensor relative_error(const Compared& dq) {
  const at::Tensor size = dq.want.abs();
  return at::where(size > 0, dq.error() / size.clamp_min(1e-300), size * 0);
}

TEST(ElementsNearZero, AreRightThoughTheyErrByMoreThanTheirSize) {
  RealRuns runs;
  const Case c = of_cancelling_blocks();
  EXPECT_GT(relative_error(compared(c, "dq", runs.lab())).max().item<double>(), 1.2);
  const Verdict verdict = runs.judge("gradients_match_reference", to_text(c));
  EXPECT_EQ(verdict.kind, Verdict::Kind::pass);
  EXPECT_LT(verdict.share_of_bound(), 1.0);
}

// The element whose error is the largest part of itself is set off by a multiple of its bound.
Verdict judged_with(double multiple, RealRuns& runs) {
  const Case c = of_cancelling_blocks();
  const Compared dq = compared(c, "dq", runs.lab());
  const int64_t place = relative_error(dq).contiguous().view(-1).argmax().item<int64_t>();
  const auto at_place = [&](const at::Tensor& x) {
    return x.contiguous().view(-1)[place].item<double>();
  };
  const double planted = at_place(dq.want) + multiple * at_place(dq.bound);
  const int64_t shard = dq.want.numel() / c.mesh.world();  // batch 1, contiguous shards
  return testing::judge_changed("gradients_match_reference", c, runs.lab(),
                                [=](const Request&, Observation& run) {
                                  at::Tensor& own = run.ranks.at(place / shard).tensors.at("dq");
                                  own = own.contiguous();
                                  own.view(-1)[place % shard].fill_(planted);
                                });
}

TEST(ElementsNearZero, FailWithAnErrorPastTheirBound) {
  RealRuns runs;
  EXPECT_EQ(judged_with(0.9, runs).kind, Verdict::Kind::pass);
  const Verdict verdict = judged_with(kPlanted, runs);
  ASSERT_TRUE(verdict.failed());
  EXPECT_EQ(verdict.evidence->tensor, "dq");
  EXPECT_NEAR(verdict.share_of_bound(), kPlanted, 1e-6);
}

}  // namespace
}  // namespace attncheck

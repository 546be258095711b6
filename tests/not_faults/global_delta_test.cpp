// N1, picotron #37: delta = rowsum(dout o out) of the GLOBAL out was called wrong in a backward
// that goes block by block. It is right, and that of a block's own out is not.

#include <ATen/TensorOperators.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/matmul.h>
#include <gtest/gtest.h>

#include "impl/backends/math.h"
#include "impl/backends/visibility.h"
#include "problem/case_text.h"
#include "tests/not_faults/real_runs.h"

namespace attncheck {
namespace {

using testing::RealRuns;

at::Tensor by_head(const at::Tensor& x) {  // (B, S, H, D) -> (B, H, S, D)
  return x.transpose(1, 2);
}

at::Tensor row_by_head(const at::Tensor& x) {  // (B, S, H) -> (B, H, S, 1)
  return x.transpose(1, 2).unsqueeze(-1);
}

// P = exp(s - lse) of a block; 0 on rows that see no key, whose lse is -inf.
at::Tensor probabilities(const BackendInputs& block, const at::Tensor& lse) {
  at::Tensor scores = at::matmul(by_head(block.q), by_head(block.k).transpose(2, 3)) * block.scale;
  const at::Tensor mask = additive_mask(block, scores.scalar_type());
  if (mask.defined()) scores = scores + mask;
  const at::Tensor row = row_by_head(lse);
  return (scores - row.masked_fill(row == -kInfinity, kInfinity)).exp();
}

// The formula, a line for each of its steps; delta is that of this `out`.
BackendGrads gradients_by_delta(const BackendBackward& call, const at::Tensor& out) {
  const BackendInputs& block = call.block;
  const at::Tensor dout = by_head(call.grad_out);
  at::Tensor delta = (dout * by_head(out)).sum(-1, /*keepdim=*/true);
  if (call.grad_lse.defined()) delta = delta - row_by_head(call.grad_lse);
  const at::Tensor p = probabilities(block, call.lse);
  const at::Tensor dp = at::matmul(dout, by_head(block.v).transpose(2, 3));
  const at::Tensor ds = p * (dp - delta) * block.scale;
  return {by_head(at::matmul(ds, by_head(block.k))),
          by_head(at::matmul(ds.transpose(2, 3), by_head(block.q))),
          by_head(at::matmul(p.transpose(2, 3), dout))};
}

// math's forward, and a backward of its own.
Backend with_backward(const std::string& name, decltype(Backend::backward) backward) {
  Backend backend = math_backend();
  backend.name = name;
  backend.contract.grouped_heads = false;
  backend.supports = [](const Problem& p) {
    return p.heads == p.kv_heads ? Support::yes() : Support::no("needs hkv=h");
  };
  backend.backward = std::move(backward);
  return backend;
}

Backend delta_of_global_out() {
  return with_backward("delta_of_global_out", [](const BackendBackward& call) {
    return gradients_by_delta(call, call.out);
  });
}

Backend delta_of_own_out() {
  Backend backend = with_backward("delta_of_own_out", [](const BackendBackward& call) {
    return gradients_by_delta(call, call.aux.at(0).toTensor());
  });
  backend.forward = [right = backend.forward](const BackendInputs& block) {
    BackendForward result = right(block);
    result.aux = {result.out};
    return result;
  };
  return backend;
}

// Every property that speaks of the case; how many judged it.
int expect_green(RealRuns& runs, const std::string& text) {
  int judged = 0;
  const Case c = parse_case(text);
  WatchedLab lab(runs.lab(), c);
  for (const Property& property : all_properties()) {
    if (property.subjects.count(SubjectKind::implementation) == 0) continue;
    const Verdict verdict = judge(property, c, lab);
    const bool held = verdict.kind == Verdict::Kind::pass;
    EXPECT_TRUE(held || verdict.kind == Verdict::Kind::unsupported)
        << property.name << ": " << text << ": " << verdict.reason
        << (verdict.evidence ? verdict.evidence->message : "");
    judged += held ? 1 : 0;
  }
  return judged;
}

TEST(DeltaOfTheGlobalOut, IsGreenOnEveryPropertyBlockByBlock) {
  RealRuns runs({delta_of_global_out()});
  for (const char* words :
       {"impl=ring mesh=3x1 b=2 q=6 kv=9 h=2 d=4 dv=3 dlse=1 seed=1",
        "impl=ring mesh=2x1 rotate=p2p q=8 h=2 d=3 causal=1 layout=zigzag seed=2",
        "impl=ring mesh=4x1 q=8 kv=4 h=1 d=5 causal=1 align=br dtype=f32 seed=3",
        "impl=unified mesh=2x2 q=8 kv=12 h=2 d=4 seed=4",
        "impl=allgather_kv mesh=3x1 q=9 h=2 d=4 causal=1 layout=striped seed=5"}) {
    EXPECT_GE(expect_green(runs, std::string("backend=delta_of_global_out ") + words), 25);
  }
}

constexpr const char* kOwn = "impl=ring backend=delta_of_own_out q=6 h=2 d=4 seed=1 mesh=";

TEST(DeltaOfABlocksOwnOut, IsCaughtWhereABlockIsNotTheWhole) {
  RealRuns runs({delta_of_own_out()});
  for (const char* mesh : {"2x1", "3x1"}) {
    const Verdict verdict = runs.judge("gradients_match_reference", std::string(kOwn) + mesh);
    ASSERT_TRUE(verdict.failed()) << mesh;
    EXPECT_NE(verdict.evidence->tensor, "dv");
    EXPECT_GT(verdict.share_of_bound(), 1e9) << mesh;
    const std::string alone = std::string(kOwn) + mesh + " grad=v";
    EXPECT_EQ(runs.judge("gradients_match_reference", alone).kind, Verdict::Kind::pass);
  }
}

TEST(DeltaOfABlocksOwnOut, IsRightWhereABlockHasAllKeys) {
  RealRuns runs({delta_of_own_out()});
  for (const std::string& text : {std::string(kOwn) + "1x1",
                                  std::string("impl=allgather_kv backend=delta_of_own_out mesh=3x1 "
                                              "q=6 h=2 d=4 seed=1 causal=1")}) {
    EXPECT_EQ(runs.judge("gradients_match_reference", text).kind, Verdict::Kind::pass) << text;
  }
}

}  // namespace
}  // namespace attncheck

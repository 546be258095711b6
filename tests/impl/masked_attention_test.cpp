#include <optional>

#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "impl/allgather_kv/allgather_kv_attention.h"
#include "impl/backends/flash_cpu.h"
#include "impl/backends/math.h"
#include "impl/ring/ring_attention.h"
#include "impl/ulysses/ulysses_attention.h"
#include "impl/unified/unified_attention.h"
#include "tests/impl/mesh_testing.h"
#include "tests/impl/problems_testing.h"

// Masks, windows and documents on every layout, against the whole problem under one dense mask.
namespace attncheck {
namespace {

using testing::difference;
using testing::Expected;
using testing::Whole;

constexpr double kTolerance = 1e-12;
constexpr int64_t kTokens = 13, kHeads = 5;

// What a rank holds of axis `dim`, cut by LibTorch's own functions.
at::Tensor shard(const at::Tensor& x, int64_t dim, Layout layout, const MeshGroups& groups) {
  const int64_t ranks = groups.mesh.world(), rank = groups.rank;
  if (layout == Layout::striped) return x.slice(dim, rank, std::nullopt, ranks);
  if (layout == Layout::contiguous) return x.tensor_split(ranks, dim)[rank];
  const auto runs = x.tensor_split(2 * ranks, dim);
  return at::cat({runs[rank], runs[2 * ranks - 1 - rank]}, dim);
}

struct Trial {
  Implementation implementation;
  Mesh mesh;
  AttentionOptions options;
};

// (Sq, Skv) bool: what the places of the options let be seen, from their definition.
at::Tensor seen_by_place(const AttentionOptions& options) {
  const at::Tensor ahead = at::arange(kTokens).unsqueeze(0) - at::arange(kTokens).unsqueeze(1);
  at::Tensor seen = at::ones({kTokens, kTokens}, at::kBool);
  if (options.causal) seen = seen.logical_and(ahead <= 0);
  if (options.window) seen = seen.logical_and(ahead.abs() <= *options.window);
  if (options.documents.empty()) return seen;
  std::vector<at::Tensor> numbers;
  for (size_t i = 0; i < options.documents.size(); ++i) {
    numbers.push_back(at::zeros({options.documents[i]}) + static_cast<double>(i));
  }
  const at::Tensor number = at::cat(numbers);
  return seen.logical_and(number.unsqueeze(0) == number.unsqueeze(1));
}

// The whole problem, under what places hide and the mask `given` (B, H|1, Sq|1, Skv).
Whole under_mask(const AttentionOptions& options, const at::Tensor& given) {
  const testing::Sizes sizes{
      .q_len = kTokens, .kv_len = kTokens, .heads = kHeads, .kv_heads = kHeads};
  Whole w = testing::whole(sizes);
  const at::Tensor seen = seen_by_place(options);
  if (!given.defined()) {
    w.inputs.mask = seen.unsqueeze(0).unsqueeze(0);
  } else if (given.scalar_type() == at::kBool) {
    w.inputs.mask = given.logical_and(seen);
  } else {
    w.inputs.mask = given.masked_fill(seen.logical_not(), -INFINITY);
  }
  return w;
}

void expect_rank(const Trial& trial, const Whole& w, const at::Tensor& mask, const Expected& want,
                 const MeshGroups& groups) {
  const Layout layout = trial.options.layout;
  const auto own = [&](const at::Tensor& x) { return shard(x, 1, layout, groups); };
  const auto leaf = [&](const at::Tensor& x) { return own(x).detach().requires_grad_(true); };
  AttentionOptions options = trial.options;
  options.mask = mask;
  if (mask.defined() && mask.dim() == 4 && mask.size(2) > 1) {
    options.mask = shard(mask, 2, layout, groups);
  }
  const std::vector<at::Tensor> inputs{leaf(w.inputs.q), leaf(w.inputs.k), leaf(w.inputs.v)};
  const Attention got =
      trial.implementation.attention(inputs[0], inputs[1], inputs[2], options, groups);
  EXPECT_LE(difference(got.out.detach(), own(want.out)), kTolerance);
  EXPECT_LE(difference(got.lse.detach(), own(want.lse)), kTolerance);
  const auto grads =
      testing::gradients({got.out, got.lse}, inputs, {own(w.grad_out), own(w.grad_lse)});
  EXPECT_LE(difference(grads[0], own(want.dq)), kTolerance);
  EXPECT_LE(difference(grads[1], own(want.dk)), kTolerance);
  EXPECT_LE(difference(grads[2], own(want.dv)), kTolerance);
}

// `mask`: undefined, or of the axes that the options say.
void expect_right(Trial trial, const at::Tensor& mask) {
  trial.options.q_len = trial.options.kv_len = kTokens;
  const at::Tensor four = mask.defined() && mask.dim() == 2 ? mask.unsqueeze(1).unsqueeze(1) : mask;
  const Whole w = under_mask(trial.options, four);
  const Expected want = testing::expected(w);
  for (const Backend& backend : {math_backend(), flash_cpu_backend()}) {
    trial.options.backend = &backend;
    trial.options.scale = w.inputs.scale;
    SCOPED_TRACE(trial.implementation.name + " " + to_text(trial.mesh) + " on " + backend.name +
                 " layout " + std::to_string(static_cast<int>(trial.options.layout)));
    testing::run_on_mesh(
        trial.mesh, [&](const MeshGroups& groups) { expect_rank(trial, w, mask, want, groups); });
  }
}

std::vector<Trial> every_trial() {
  std::vector<Trial> trials;
  for (const Layout layout : {Layout::contiguous, Layout::zigzag, Layout::striped}) {
    AttentionOptions options;
    options.layout = layout;
    trials.push_back({ring_implementation(), {3, 1}, options});
    trials.push_back({ulysses_implementation(), {1, 3}, options});
    trials.push_back({allgather_kv_implementation(), {3, 1}, options});
    trials.push_back({unified_implementation(), {2, 2, MeshOrder::ur}, options});
    options.rotate = Rotate::p2p;
    trials.push_back({ring_implementation(), {4, 1}, options});
  }
  return trials;
}

// Of the axes; a quarter is hidden, and query 3 and keys 4 to 8 entirely, where the axes allow it.
at::Tensor mask_of(MaskAxes axes, bool additive) {
  const int64_t rows = axes == MaskAxes::bk || axes == MaskAxes::b11k ? 1 : kTokens;
  const int64_t heads = axes == MaskAxes::bhqk ? kHeads : 1;
  const at::Tensor drawn = testing::normal({2, heads, rows, kTokens}, 5);
  at::Tensor hidden = drawn.lt(-0.7);
  hidden.slice(3, 4, 9).fill_(true);
  if (rows > 1) hidden.select(2, 3).fill_(true);
  const at::Tensor mask = additive ? drawn.masked_fill(hidden, -INFINITY) : hidden.logical_not();
  return axes == MaskAxes::bk ? mask.squeeze(2).squeeze(1) : mask;
}

TEST(MaskedAttention, TakesMasksOfEveryAxesInEveryLayout) {
  for (Trial trial : every_trial()) {
    for (const MaskAxes axes : {MaskAxes::bhqk, MaskAxes::b1qk, MaskAxes::b11k, MaskAxes::bk}) {
      for (const bool additive : {false, true}) {
        trial.options.mask_axes = axes;
        SCOPED_TRACE("axes " + std::to_string(static_cast<int>(axes)));
        for (const bool causal : {false, true}) {
          trial.options.causal = causal;
          expect_right(trial, mask_of(axes, additive));
        }
      }
    }
  }
}

TEST(MaskedAttention, TakesAWindowInEveryLayout) {
  for (Trial trial : every_trial()) {
    for (const int64_t window : {0, 1, 4, 20}) {
      for (const bool causal : {false, true}) {
        trial.options.window = window;
        trial.options.causal = causal;
        SCOPED_TRACE("window " + std::to_string(window));
        expect_right(trial, {});
      }
    }
  }
}

TEST(MaskedAttention, TakesPackedDocumentsInEveryLayout) {
  for (Trial trial : every_trial()) {
    for (const auto& documents : std::vector<std::vector<int64_t>>{{13}, {1, 12}, {4, 2, 7}}) {
      for (const bool causal : {false, true}) {
        trial.options.documents = documents;
        trial.options.causal = causal;
        SCOPED_TRACE(std::to_string(documents.size()) + " documents");
        expect_right(trial, {});
      }
    }
  }
}

TEST(MaskedAttention, TakesAllOfThemTogether) {
  for (Trial trial : every_trial()) {
    trial.options.documents = {6, 7};
    trial.options.window = 3;
    trial.options.causal = true;
    expect_right(trial, mask_of(MaskAxes::bhqk, true));
  }
}

std::string refusal_of(AttentionOptions options, const at::Tensor& mask) {
  const Backend backend = math_backend();
  options.backend = &backend;
  options.q_len = options.kv_len = 4;
  options.mask = mask;
  const auto errors = testing::errors_on_mesh({2, 1}, [&](const MeshGroups& groups) {
    const at::Tensor x = testing::normal({1, 2, 2, 3}, 1);
    ring_implementation().attention(x, x, x, options, groups);
  });
  EXPECT_EQ(errors[0].has_value(), errors[1].has_value());
  return errors[0].value_or("");
}

TEST(MaskedAttention, RefusesAMaskOfAnotherShapeDtypeOrWithAGradient) {
  AttentionOptions options;
  options.mask_axes = MaskAxes::bk;
  const std::string shape = refusal_of(options, at::ones({1, 2}, at::kBool));
  EXPECT_NE(shape.find("shape [1, 2], expected [1, 4]"), std::string::npos) << shape;
  const std::string dtype = refusal_of(options, at::ones({1, 4}, at::kFloat));
  EXPECT_NE(dtype.find("expected bool or the dtype of q"), std::string::npos) << dtype;
  const at::Tensor leaf = at::ones({1, 4}, at::kDouble).requires_grad_(true);
  EXPECT_NE(refusal_of(options, leaf).find("detach it"), std::string::npos);
}

TEST(MaskedAttention, RefusesDocumentsThatDoNotAddUp) {
  AttentionOptions options;
  options.documents = {1, 2};
  const std::string refusal = refusal_of(options, {});
  EXPECT_NE(refusal.find("documents=1,2 adds up to 3: expected q=4 and kv=4"), std::string::npos)
      << refusal;
}

}  // namespace
}  // namespace attncheck

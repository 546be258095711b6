#include "mutants/systematic/step_operators.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/maximum.h>

#include "impl/backends/attend.h"
#include "mutants/systematic/narrowed.h"
#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

// What a kernel knows of the blocks of a pass before this one.
struct StepsSoFar {
  int blocks = 0;
  at::Tensor first_k, first_v, last_k, last_v;

  // To be called with the block as it came; how many were before.
  int count(const BackendInputs& block) {
    if (blocks == 0) {
      first_k = block.k;
      first_v = block.v;
    }
    last_k = block.k;
    last_v = block.v;
    return blocks++;
  }
};

// What becomes of a block and of its results, by what was before. What is empty stays.
struct StepEdits {
  void (*block)(BackendInputs&, const StepsSoFar&) = nullptr;
  void (*result)(BackendForward&, int before) = nullptr;
  void (*grads)(BackendGrads&, int before) = nullptr;
};

Changes on_steps(const StepEdits& edits) {
  Changes changes;
  changes.backend = [edits](const Backend& right) {
    const auto so_far = std::make_shared<StepsSoFar>();
    const auto edited = [=](BackendInputs block) {
      const BackendInputs came = block;
      if (edits.block != nullptr) edits.block(block, *so_far);
      return std::make_pair(block, so_far->count(came));
    };
    Backend backend = right;
    backend.forward = [=](const BackendInputs& came) {
      const auto [block, before] = edited(came);
      BackendForward result = right.forward(block);
      if (edits.result != nullptr) edits.result(result, before);
      return result;
    };
    backend.backward = [=](BackendBackward call) {
      const auto [block, before] = edited(call.block);
      call.block = block;
      BackendGrads grads = right.backward(call);
      if (edits.grads != nullptr) edits.grads(grads, before);
      return grads;
    };
    return backend;
  };
  return changes;
}

void take_keys(BackendInputs& block, const at::Tensor& k, const at::Tensor& v) {
  if (!k.defined() || k.sizes() != block.k.sizes()) return;
  block.k = k;
  block.v = v;
}

void keep_the_first_keys(BackendInputs& block, const StepsSoFar& so_far) {
  take_keys(block, so_far.first_k, so_far.first_v);
}

void keep_the_last_keys(BackendInputs& block, const StepsSoFar& so_far) {
  take_keys(block, so_far.last_k, so_far.last_v);
}

void see_nothing_in_the_second(BackendForward& result, int before) {
  if (before != 1) return;
  result.out = result.out.new_zeros(result.out.sizes());
  result.lse = result.lse.new_full(result.lse.sizes(), -std::numeric_limits<double>::infinity());
}

void zero(at::Tensor& x) {
  x = x.new_zeros(x.sizes());
}

void no_gradients_of_the_second(BackendGrads& grads, int before) {
  if (before != 1) return;
  for (at::Tensor* x : {&grads.dq, &grads.dk, &grads.dv}) zero(*x);
}

void dq_of_the_first_alone(BackendGrads& grads, int before) {
  if (before > 0) zero(grads.dq);
}

void dk_and_dv_of_the_first_alone(BackendGrads& grads, int before) {
  if (before == 0) return;
  zero(grads.dk);
  zero(grads.dv);
}

using EditCall = void (*)(BackendBackward& call, const Backend& right);

Changes on_backward_calls(EditCall edit) {
  Changes changes;
  changes.backend = [edit](const Backend& right) {
    Backend backend = right;
    backend.backward = [right, edit](BackendBackward call) {
      edit(call, right);
      return right.backward(call);
    };
    return backend;
  };
  return changes;
}

void take_lse_of_the_block(BackendBackward& call, const Backend& right) {
  call.lse = attend(right, call.block).lse;
}

void take_out_of_the_block(BackendBackward& call, const Backend& right) {
  call.out = attend(right, call.block).out;
}

// The keys of a step are taken for those of another rank.
Changes on_ring_call(void (*edit)(RingCall&)) {
  Changes changes;
  changes.ring = edit;
  return changes;
}

void take_blocks_of_the_next_owner(RingCall& call) {
  std::rotate(call.blocks.begin(), call.blocks.begin() + 1, call.blocks.end());
}

void take_masks_of_the_next_owner(RingCall& call) {
  const std::vector<std::vector<Block>> right = call.blocks;
  for (size_t owner = 0; owner < right.size(); ++owner) {
    const std::vector<Block>& next = right[(owner + 1) % right.size()];
    for (size_t i = 0; i < std::min(right[owner].size(), next.size()); ++i) {
      at::Tensor& mask = call.blocks[owner][i].mask;
      const bool fits = mask.defined() && next[i].mask.defined();
      if (fits && mask.sizes() == next[i].mask.sizes()) mask = next[i].mask;
    }
  }
}

Changes on_merges(Partial (*merge_two)(const Partial&, const Partial&)) {
  Changes changes;
  changes.ring = [=](RingCall& call) { call.merge = merge_two; };
  changes.gather = [=](GatherCall& call) { call.merge = merge_two; };
  return changes;
}

Partial the_other_way(const Partial& a, const Partial& b) {
  return merge(b, a);
}

Partial with_lse_of_the_last(const Partial& a, const Partial& b) {
  return {merge(a, b).out, b.lse};
}

Partial with_the_greater_lse(const Partial& a, const Partial& b) {
  return {merge(a, b).out, at::maximum(a.lse, b.lse)};
}

Partial by_the_mean(const Partial& a, const Partial& b) {
  return {(a.out + b.out) / 2, merge(a, b).lse};
}

Partial with_weights_exchanged(const Partial& a, const Partial& b) {
  return merge({a.out, b.lse}, {b.out, a.lse});
}

Partial rounded_sum(const Partial& a, const Partial& b) {
  const Partial sum = merge(a, b);
  return {narrowed(sum.out), narrowed(sum.lse)};
}

std::vector<Reach> in_steps(const std::vector<Phase>& phases,
                            const std::string& smallest = "q=2 d=1") {
  return {{kInSteps, phases, smallest, 2}};
}

std::vector<Operator> operators_of_kernels() {
  return {
      {"skips_a_step", "the second block that a rank attends to counts for nothing", kOneRank,
       on_steps({.result = see_nothing_in_the_second, .grads = no_gradients_of_the_second}),
       in_steps(kEachPass)},
      {"repeats_a_step", "the keys of a block are those of the block before", kOneRank,
       on_steps({.block = keep_the_last_keys}), in_steps(kEachPass)},
      {"stays_with_the_first_keys", "the keys of every block are those of the first one", kOneRank,
       on_steps({.block = keep_the_first_keys}), in_steps(kEachPass)},
      {"keeps_dq_of_the_first_step", "dq is that of the first block alone", kOneRank,
       on_steps({.grads = dq_of_the_first_alone}), in_steps(kBackward, "q=4 d=1")},
      {"keeps_dk_and_dv_of_the_first_step", "dk and dv are those of the first block alone",
       kOneRank, on_steps({.grads = dk_and_dv_of_the_first_alone}), in_steps(kBackward)},
      {"takes_lse_of_the_block",
       "backward normalises a block by its own lse, not by the global one", kOneRank,
       on_backward_calls(take_lse_of_the_block), in_steps(kBackward)},
      {"takes_out_of_the_block", "backward takes rowsum(dout o out) of the block's own out",
       kOneRank, on_backward_calls(take_out_of_the_block), in_steps(kBackward)},
      {"labels_keys_one_rank_off", "the keys of a step are taken for those of the next rank",
       "q=8 h=2 d=2", on_ring_call(take_blocks_of_the_next_owner),
       in_steps(kEachPass, "q=2 d=1 causal=1")},
      {"leaves_the_masks_behind", "the mask of a step is that of the next rank's keys",
       "q=8 h=2 d=2 causal=1", on_ring_call(take_masks_of_the_next_owner),
       in_steps(kEachPass, "q=2 d=1 mask=bool")},
  };
}

constexpr const char* kSymmetric =
    "the merge is symmetric but for the last bit, and which of two partial results comes first is "
    "part of no promise: every property that asks for equal bits compares runs of one order, and "
    "the others have a bound that is wider than a rounding";

Operator of_merges(const char* name, const char* fault,
                   Partial (*merge_two)(const Partial&, const Partial&),
                   const std::string& property = {}, const std::string& equivalent = {}) {
  return {name,
          fault,
          kOneRank,
          on_merges(merge_two),
          {{kInSteps, kForward, "q=2 d=1", 2, property, equivalent},
           {{Method::allgather_kv},
            kForward,
            "q=4 d=1 causal=1 layout=striped",
            2,
            property,
            equivalent}}};
}

std::vector<Operator> operators_of_merges() {
  return {
      of_merges("merges_the_other_way", "the new partial result is the first of two", the_other_way,
                {}, kSymmetric),
      of_merges("keeps_lse_of_the_last_block",
                "the lse of a merge is that of the new partial result", with_lse_of_the_last,
                "lse_matches_reference"),
      of_merges("takes_the_greater_lse", "the lse of a merge is the greater one of two",
                with_the_greater_lse, "lse_matches_reference"),
      of_merges("merges_by_the_mean", "the out of a merge is the mean of two, without weights",
                by_the_mean),
      of_merges("exchanges_the_weights", "the weights of a merge are each other's",
                with_weights_exchanged),
      of_merges("rounds_the_accumulator", "what is merged so far passes a narrower dtype",
                rounded_sum),
  };
}

}  // namespace

std::vector<Operator> step_operators() {
  std::vector<Operator> all = operators_of_kernels();
  for (Operator& op : operators_of_merges()) all.push_back(std::move(op));
  return all;
}

}  // namespace attncheck

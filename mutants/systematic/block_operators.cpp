#include "mutants/systematic/block_operators.h"

#include <numbers>
#include <utility>

#include <ATen/TensorOperators.h>

#include "mutants/axes.h"
#include "mutants/systematic/narrowed.h"
#include "mutants/systematic/on_blocks.h"
#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

void drop_scale(BackendInputs& block) {
  block.scale = 1.0;
}

void see_the_next_key(BackendInputs& block) {
  if (block.diagonal) ++*block.diagonal;
}

void not_see_the_own_key(BackendInputs& block) {
  if (block.diagonal) --*block.diagonal;
}

void drop_mask(BackendInputs& block) {
  block.mask = at::Tensor();
}

void shift_mask(BackendInputs& block) {
  if (block.mask.defined()) block.mask = block.mask.roll(1, -1);
}

void swap_k_and_v(BackendInputs& block) {
  if (block.k.sizes() == block.v.sizes()) std::swap(block.k, block.v);
}

// x (B, S, H, D) as if its memory were (B, H, S, D).
at::Tensor taken_by_head(const at::Tensor& x) {
  return x.contiguous().view({x.size(0), x.size(2), x.size(1), x.size(3)}).transpose(1, 2);
}

void take_q_by_head(BackendInputs& block) {
  block.q = taken_by_head(block.q);
}

void take_grad_out_by_head(BackendBackward& call) {
  call.grad_out = taken_by_head(call.grad_out);
}

void ignore_grad_lse(BackendBackward& call) {
  call.grad_lse = at::Tensor();
}

void negate_grad_lse(BackendBackward& call) {
  if (call.grad_lse.defined()) call.grad_lse = -call.grad_lse;
}

void lse_in_base_two(BackendForward& result) {
  result.lse = result.lse * std::numbers::log2e;
}

void round_result(BackendForward& result) {
  result.out = narrowed(result.out);
  result.lse = narrowed(result.lse);
}

void round_grads(BackendGrads& grads, const BackendBackward&) {
  grads = {narrowed(grads.dq), narrowed(grads.dk), narrowed(grads.dv)};
}

void dq_without_scale(BackendGrads& grads, const BackendBackward& call) {
  grads.dq = grads.dq / call.block.scale;
}

void dk_without_scale(BackendGrads& grads, const BackendBackward& call) {
  grads.dk = grads.dk / call.block.scale;
}

void exchange_dk_and_dv(BackendGrads& grads, const BackendBackward&) {
  if (grads.dk.sizes() == grads.dv.sizes()) std::swap(grads.dk, grads.dv);
}

Operator on_one_edit(const char* name, const char* fault, const char* right,
                     const KernelEdits& edits, std::vector<Reach> reaches) {
  return {name, fault, right, on_blocks(edits), std::move(reaches)};
}

Reach everywhere(const std::vector<Phase>& phases, const char* smallest,
                 const char* property = "") {
  return {kAllMethods, phases, smallest, 1, property};
}

std::vector<Operator> operators_of_inputs() {
  return {
      on_one_edit("drops_the_scale", "the scores are not scaled", "", {.block = drop_scale},
                  {everywhere(kEachAndBoth, "q=1 kv=2 d=2")}),
      on_one_edit("sees_the_next_key", "the causal diagonal lets a query see one key more",
                  "q=8 h=2 d=2", {.block = see_the_next_key},
                  {everywhere(kEachAndBoth, "q=2 d=1 causal=1")}),
      on_one_edit("hides_the_own_key", "the causal diagonal hides one key more", "q=8 h=2 d=2",
                  {.block = not_see_the_own_key}, {everywhere(kEachPass, "q=2 d=1 causal=1")}),
      on_one_edit("drops_the_mask", "the mask of a block does not get to the kernel",
                  "q=8 h=2 d=2 causal=1", {.block = drop_mask},
                  {everywhere(kEachPass, "q=1 kv=2 d=1 mask=bool")}),
      on_one_edit("shifts_the_mask", "the columns of a block's mask are those of the keys before",
                  "q=8 h=2 d=2 causal=1", {.block = shift_mask},
                  {everywhere(kEachPass, "q=1 kv=2 d=1 mask=bool")}),
      on_one_edit("swaps_k_and_v", "the kernel gets k for v and v for k where both have one shape",
                  "q=8 h=2 d=3 dv=2", {.block = swap_k_and_v}, {everywhere(kEachPass, "q=1 d=1")}),
  };
}

std::vector<Operator> operators_of_forward() {
  return {
      on_one_edit("takes_q_by_head", "q's memory is read as (B, H, S, D)", "mesh=1x1 q=8 d=3",
                  {.block = take_q_by_head}, {everywhere(kEachPass, "q=2 h=2 d=1")}),
      on_one_edit("returns_lse_in_base_two", "the kernel's log-sum-exp is taken to be natural", "",
                  {.result = lse_in_base_two},
                  {everywhere(kForward, "q=1 d=1", "lse_is_natural_log")}),
      on_one_edit("rounds_the_results_of_blocks", "out and lse of a block pass a narrower dtype",
                  "", {.result = round_result}, {everywhere(kForward, "q=1 d=1")}),
  };
}

std::vector<Operator> operators_of_backward() {
  constexpr const char* kLse = "lse_gradient_flows_or_is_refused";
  return {
      on_one_edit("takes_grad_out_by_head", "the incoming gradient is read as (B, H, S, D)",
                  "mesh=1x1 q=8 d=3", {.call = take_grad_out_by_head},
                  {everywhere(kBackward, "q=2 h=2 d=1")}),
      on_one_edit("ignores_grad_lse", "the gradient of lse does not get to the kernel",
                  "q=8 h=2 d=2", {.call = ignore_grad_lse},
                  {everywhere(kBackward, "q=1 d=1 dlse=1", kLse)}),
      on_one_edit("negates_grad_lse", "the gradient of lse is subtracted", "q=8 h=2 d=2",
                  {.call = negate_grad_lse}, {everywhere(kBackward, "q=1 d=1 dlse=1", kLse)}),
      on_one_edit("rounds_the_gradients_of_blocks",
                  "dq, dk and dv of a block pass a narrower dtype", "", {.grads = round_grads},
                  {everywhere(kBackward, "q=1 d=1")}),
      on_one_edit("leaves_the_scale_out_of_dq", "dq is not multiplied by the scale", "",
                  {.grads = dq_without_scale}, {everywhere(kBackward, "q=1 kv=2 d=2")}),
      on_one_edit("leaves_the_scale_out_of_dk", "dk is not multiplied by the scale", "",
                  {.grads = dk_without_scale}, {everywhere(kBackward, "q=1 kv=2 d=2")}),
      on_one_edit("exchanges_dk_and_dv", "dk is returned for dv where both have one shape",
                  "q=8 h=2 d=3 dv=2", {.grads = exchange_dk_and_dv},
                  {everywhere(kBackward, "q=1 d=1")}),
  };
}

}  // namespace

std::vector<Operator> block_operators() {
  std::vector<Operator> all = operators_of_inputs();
  for (const auto more : {operators_of_forward, operators_of_backward}) {
    for (Operator& op : more()) all.push_back(std::move(op));
  }
  return all;
}

}  // namespace attncheck

#include "mutants/systematic/pass_operators.h"

#include <limits>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include "mutants/systematic/reaches.h"

namespace attncheck {
namespace {

using EditOfGradients = void (*)(BackendGrads&, const Mesh&);

Changes on_gradients(EditOfGradients edit) {
  Changes changes;
  changes.backward = [edit](const PassBackward& right, const Mesh& mesh) -> PassBackward {
    return
        [=](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
          BackendGrads grads = right(saved, grad_out, grad_lse);
          edit(grads, mesh);
          return grads;
        };
  };
  return changes;
}

template <at::Tensor BackendGrads::*gradient>
void make_zero(BackendGrads& grads, const Mesh&) {
  grads.*gradient = at::zeros_like(grads.*gradient);
}

template <at::Tensor BackendGrads::*gradient>
void leave_undefined(BackendGrads& grads, const Mesh&) {
  grads.*gradient = at::Tensor();
}

void take_the_mean(BackendGrads& grads, const Mesh& mesh) {
  for (at::Tensor* x : {&grads.dq, &grads.dk, &grads.dv}) *x = *x / mesh.world();
}

using EditOfResult = void (*)(AttentionForward&);

Changes on_results(EditOfResult edit) {
  Changes changes;
  changes.forward = [edit](const PassForward& right) -> PassForward {
    return [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
      AttentionForward result = right(q, k, v);
      if (result.lse.defined()) edit(result);
      return result;
    };
  };
  return changes;
}

at::Tensor empty_rows(const AttentionForward& result) {
  return result.lse == -std::numeric_limits<double>::infinity();
}

void zero_lse_of_empty_rows(AttentionForward& result) {
  result.lse = result.lse.masked_fill(empty_rows(result), 0.0);
}

void nan_out_of_empty_rows(AttentionForward& result) {
  result.out = result.out.masked_fill(empty_rows(result).unsqueeze(-1),
                                      std::numeric_limits<double>::quiet_NaN());
}

// Elements that share memory cannot be written.
bool has_memory_of_its_own(const at::Tensor& x) {
  return x.is_contiguous();
}

void halve_in_place(const at::Tensor& x) {
  if (has_memory_of_its_own(x)) x.mul_(0.5);
}

// Written to once it was used: forward keeps what it got.
Changes writes_to_k() {
  Changes changes;
  changes.forward = [](const PassForward& right) -> PassForward {
    return [=](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
      AttentionForward result = right(q, k.clone(), v);
      halve_in_place(k);
      return result;
    };
  };
  return changes;
}

Changes writes_to_grad_out() {
  Changes changes;
  changes.backward = [](const PassBackward& right, const Mesh&) -> PassBackward {
    return
        [=](const AttentionSaved& saved, const at::Tensor& grad_out, const at::Tensor& grad_lse) {
          BackendGrads grads = right(saved, grad_out, grad_lse);
          halve_in_place(grad_out);
          return grads;
        };
  };
  return changes;
}

constexpr const char* kHasAGradient = "every_required_gradient_is_defined";
constexpr const char* kOfEmptyRows = "empty_rows_are_zero_and_minus_infinity";
constexpr const char* kUntouched = "inputs_are_not_modified";

Operator forgets(const char* name, const char* fault, EditOfGradients edit, const char* smallest) {
  return {name, fault, "", on_gradients(edit), {{kAllMethods, kBackward, smallest}}};
}

Operator detaches(const char* name, const char* fault, EditOfGradients edit) {
  return {
      name, fault, "", on_gradients(edit), {{kAllMethods, kBackward, "q=1 d=1", 1, kHasAGradient}}};
}

}  // namespace

std::vector<Operator> pass_operators() {
  return {
      forgets("forgets_dq", "dq is zero", make_zero<&BackendGrads::dq>, "q=1 kv=2 d=1"),
      forgets("forgets_dk", "dk is zero", make_zero<&BackendGrads::dk>, "q=1 kv=2 d=1"),
      forgets("forgets_dv", "dv is zero", make_zero<&BackendGrads::dv>, "q=1 d=1"),
      detaches("detaches_q", "q has no gradient", leave_undefined<&BackendGrads::dq>),
      detaches("detaches_k", "k has no gradient", leave_undefined<&BackendGrads::dk>),
      detaches("detaches_v", "v has no gradient", leave_undefined<&BackendGrads::dv>),
      {"averages_the_gradients",
       "gradients are the mean over the ranks, not the sum",
       kOneRank,
       on_gradients(take_the_mean),
       {{{Method::ring, Method::unified, Method::allgather_kv}, kBackward, "q=2 d=1", 2},
        {{Method::ulysses}, kBackward, "q=2 h=2 d=1", 2}}},
      {"gives_empty_rows_lse_zero",
       "the lse of a query that sees no key is 0",
       "q=8 h=2 d=2 causal=1",
       on_results(zero_lse_of_empty_rows),
       {{kAllMethods, kForward, "q=2 kv=1 d=1 causal=1 align=br", 1, kOfEmptyRows}}},
      {"divides_empty_rows_by_zero",
       "out of a query that sees no key is NaN",
       "q=8 h=2 d=2 causal=1",
       on_results(nan_out_of_empty_rows),
       {{kAllMethods, kForward, "q=2 kv=1 d=1 causal=1 align=br", 1, kOfEmptyRows}}},
      {"writes_to_k",
       "forward halves the caller's k in place",
       "",
       writes_to_k(),
       {{kAllMethods, kForward, "q=1 d=1", 1, kUntouched}}},
      {"writes_to_grad_out",
       "backward halves the caller's incoming gradient in place",
       "",
       writes_to_grad_out(),
       {{kAllMethods, kBackward, "q=1 d=1", 1, kUntouched}}},
  };
}

}  // namespace attncheck

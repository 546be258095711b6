#pragma once

#include <functional>

#include <ATen/core/Tensor.h>

#include "impl/contract/backend.h"
#include "impl/merges/merge.h"
#include "impl/ring/ring_call.h"
#include "mutants/parents.h"

namespace attncheck {

// A rank's own q (B, Sq, H, Dqk), k (B, Skv, Hkv, Dqk) and v (B, Skv, Hkv, Dv), or those of the
// rank that a step attends to.
struct TourShards {
  at::Tensor q, k, v;
};

// A block's partial result, and what its kernel's backward wants to see again.
struct TourStop {
  Partial partial;
  std::vector<c10::IValue> aux;
};

// A ring in pieces, of which a mutant replaces one. As right_tour gives it, it is right.
struct RingTour {
  RingCall call;
  int direction = -1;    // in step t rank r attends to the keys of rank r + direction * t
  bool last_hop = true;  // the sums of dk and dv, which hop to r + 1 after a step, do so after the
                         // last one as well
  // The block of `own` queries and the keys of `owner`, a ring index.
  std::function<BackendInputs(const TourShards& own, const TourShards& keys, int owner)> block;
  std::function<TourStop(const BackendInputs&)> attend;
  std::function<Partial(const Partial&, const Partial&)> merge;
};

RingTour right_tour(const RingCall& call);

// They belong together: `saved` is q, k, v, out, lse, with the backend's aux by owner.
PassForward tour_forward(const RingTour& tour);
PassBackward tour_backward(const RingTour& tour);

// A parent on meshes Rx1 that goes on the tours that `change` makes of right ones.
Parent touring_parent(std::function<void(RingTour&)> change);

}  // namespace attncheck

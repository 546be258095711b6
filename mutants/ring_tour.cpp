#include "mutants/ring_tour.h"

#include <utility>

#include <ATen/ops/zeros.h>

#include "impl/backends/attend.h"
#include "impl/collectives/exchange.h"
#include "impl/contract/dtypes.h"
#include "mutants/axes.h"
#include "mutants/equal_shards.h"

namespace attncheck {
namespace {

int owner_in_step(const RingTour& tour, int step) {
  const int degree = tour.call.ring_degree;
  return ((tour.call.ring_index + tour.direction * step) % degree + degree) % degree;
}

// k and v of every rank of the ring, end to end.
TourShards gathered(const TourShards& own, const RingCall& call) {
  return {own.q, all_gather(own.k, *call.group, kSequenceAxis),
          all_gather(own.v, *call.group, kSequenceAxis)};
}

TourShards keys_of(const TourShards& all, int owner, int64_t length) {
  return {all.q, all.k.narrow(kSequenceAxis, owner * length, length),
          all.v.narrow(kSequenceAxis, owner * length, length)};
}

at::ScalarType sum_type(const RingTour& tour, const TourShards& own) {
  return accumulation_type(own.q.scalar_type(), tour.call.convert_to_fp32);
}

AttentionForward forward(const RingTour& tour, const TourShards& own) {
  const TourShards all = gathered(own, tour.call);
  std::vector<std::vector<c10::IValue>> aux(tour.call.ring_degree);
  Partial sum;
  for (int step = 0; step < tour.call.ring_degree; ++step) {
    const int owner = owner_in_step(tour, step);
    TourStop stop = tour.attend(tour.block(own, keys_of(all, owner, own.k.size(1)), owner));
    stop.partial.out = stop.partial.out.to(sum_type(tour, own));
    sum = step == 0 ? stop.partial : tour.merge(sum, stop.partial);
    aux[owner] = std::move(stop.aux);
  }
  const at::Tensor out = sum.out.to(own.q.scalar_type());
  return {out, sum.lse, {{own.q, own.k, own.v, out, sum.lse}, std::move(aux)}};
}

// The gradient of q so far, and the travelling gradients of some rank's k and v.
struct Sums {
  at::Tensor dq;
  std::vector<at::Tensor> dkv;
};

Sums zero_sums(const RingTour& tour, const TourShards& own) {
  const auto zeros = [&](const at::Tensor& x) {
    return at::zeros(x.sizes(), x.options().dtype(sum_type(tour, own)));
  };
  return {zeros(own.q), {zeros(own.k), zeros(own.v)}};
}

void add(Sums& sums, const BackendGrads& grads) {
  sums.dq.add_(grads.dq);
  sums.dkv[0].add_(grads.dk);
  sums.dkv[1].add_(grads.dv);
}

BackendGrads backward(const RingTour& tour, const AttentionSaved& saved, const at::Tensor& grad_out,
                      const at::Tensor& grad_lse) {
  const TourShards own{saved.tensors[0], saved.tensors[1], saved.tensors[2]};
  const TourShards all = gathered(own, tour.call);
  Sums sums = zero_sums(tour, own);
  for (int step = 0; step < tour.call.ring_degree; ++step) {
    const int owner = owner_in_step(tour, step);
    const BackendInputs block = tour.block(own, keys_of(all, owner, own.k.size(1)), owner);
    add(sums, attend_backward(*tour.call.backend, {block, grad_out, grad_lse, saved.tensors[3],
                                                   saved.tensors[4], saved.aux[owner]}));
    const bool last = step + 1 == tour.call.ring_degree;
    if (!last || tour.last_hop) sums.dkv = shift(std::move(sums.dkv), *tour.call.group, 1);
  }
  return {sums.dq.to(own.q.scalar_type()), sums.dkv[0].to(own.k.scalar_type()),
          sums.dkv[1].to(own.v.scalar_type())};
}

}  // namespace

RingTour right_tour(const RingCall& call) {
  RingTour tour;
  tour.call = call;
  tour.block = [call](const TourShards& own, const TourShards& keys, int owner) {
    return key_block(own.q, keys.k, keys.v, call, owner);
  };
  tour.attend = [call](const BackendInputs& block) {
    BlockAttention result = attend(*call.backend, block);
    return TourStop{{result.out, result.lse}, std::move(result.aux)};
  };
  tour.merge = merge;
  return tour;
}

PassForward tour_forward(const RingTour& tour) {
  return [tour](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return forward(tour, {q, k, v});
  };
}

PassBackward tour_backward(const RingTour& tour) {
  return [tour](const AttentionSaved& saved, const at::Tensor& grad_out,
                const at::Tensor& grad_lse) { return backward(tour, saved, grad_out, grad_lse); };
}

Parent touring_parent(std::function<void(RingTour&)> change) {
  return {of_equal_shards(ring_parent().limits),
          [change](const AttentionOptions& options, const MeshGroups& groups) {
            RingTour tour = right_tour(ring_call(options, groups));
            change(tour);
            return AttentionPass{tour_forward(tour), tour_backward(tour)};
          }};
}

}  // namespace attncheck

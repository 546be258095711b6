#include "mutants/ring_moves.h"

#include <utility>

#include <ATen/TensorOperators.h>

#include "impl/backends/attend.h"
#include "impl/collectives/exchange.h"
#include "impl/contract/dtypes.h"
#include "impl/merges/merge.h"
#include "mutants/equal_shards.h"
#include "mutants/moving_tensors.h"

namespace attncheck {
namespace {

bool keeps_blocks(const RingMoves& moves) {
  return moves.keeps_blocks && moves.call.rotate == Rotate::p2p;
}

// What keeps_blocks put behind the backend's own.
OwnedKeys taken_from(std::vector<c10::IValue>& aux, int owner) {
  const at::Tensor v = aux.back().toTensor(), k = aux.at(aux.size() - 2).toTensor();
  aux.resize(aux.size() - 2);
  return {k, v, owner};
}

AttentionForward forward_of_moves(const RingMoves& moves, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v) {
  const RingCall& call = moves.call;
  const auto type = accumulation_type(q.scalar_type(), call.convert_to_fp32);
  MovingKeys stream(moves, k, v, moves.rounds);
  std::vector<std::vector<c10::IValue>> aux;
  Partial sum;
  for (int step = 0; step < call.ring_degree; ++step) {
    const OwnedKeys keys = stream.next();
    BlockAttention block = attend(*call.backend, key_block(q, keys.k, keys.v, call, keys.owner));
    const Partial partial{block.out.to(type), block.lse};
    sum = step == 0 ? partial : merge(sum, partial);
    if (keeps_blocks(moves)) block.aux.insert(block.aux.end(), {keys.k, keys.v});
    aux.push_back(std::move(block.aux));
  }
  stream.let_the_rest_pass();
  const at::Tensor out = sum.out.to(q.scalar_type());
  return {out, sum.lse, {{q, k, v, out, sum.lse}, std::move(aux)}};
}

BackendGrads backward_of_moves(const RingMoves& moves, const AttentionSaved& saved,
                               const at::Tensor& grad_out, const at::Tensor& grad_lse) {
  const RingCall& call = moves.call;
  const std::vector<at::Tensor>& t = saved.tensors;
  const auto input = t[0].scalar_type(), type = accumulation_type(input, call.convert_to_fp32);
  MovingKeys stream(moves, t[1], t[2], /*rounds=*/1);
  MovingSums home(moves);
  at::Tensor dq;
  for (int step = 0; step < call.ring_degree; ++step) {
    std::vector<c10::IValue> aux = saved.aux[step];
    const int owner = step_owner(call.ring_index, step, call.ring_degree);
    const OwnedKeys keys = keeps_blocks(moves) ? taken_from(aux, owner) : stream.next();
    const BackendGrads block =
        attend_backward(*call.backend, {key_block(t[0], keys.k, keys.v, call, owner), grad_out,
                                        grad_lse, t[3], t[4], std::move(aux)});
    dq = step == 0 ? block.dq.to(type) : dq + block.dq;
    home.add(block.dk.to(type), block.dv.to(type), owner, step);
  }
  const std::vector<at::Tensor> sums = home.finish();
  return {dq.to(input), sums[0].to(input), sums[1].to(input)};
}

std::vector<at::Tensor> wait_and_add(const Flight& sums, const std::vector<at::Tensor>& own) {
  sums.wait();
  return {sums.received[0] + own[0], sums.received[1] + own[1]};
}

}  // namespace

RingMoves right_moves(const RingCall& call) {
  RingMoves moves;
  moves.call = call;
  moves.gather = [call](const at::Tensor& x) { return post_all_gather(x, *call.group).wait(); };
  moves.sum_of_own = [call](const at::Tensor& by_owner) {
    return reduce_scatter(by_owner, *call.group, 0).squeeze(0);
  };
  moves.add = wait_and_add;
  const int degree = call.ring_degree;
  hop_between(moves, call.group, (call.ring_index + 1) % degree,
              (call.ring_index + degree - 1) % degree);
  return moves;
}

void hop_between(RingMoves& moves, const KeptGroup& group, int to, int from) {
  const auto hop = [=](int tag) {
    return
        [=](const std::vector<at::Tensor>& xs, int) { return post_hop(xs, *group, to, from, tag); };
  };
  moves.hop_of_keys = hop(kKeysTag);
  moves.hop_of_sums = hop(kSumsTag);
}

AttentionPass moving_pass(const RingMoves& moves) {
  AttentionPass pass;
  pass.forward = [moves](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return forward_of_moves(moves, q, k, v);
  };
  pass.backward = [moves](const AttentionSaved& saved, const at::Tensor& grad_out,
                          const at::Tensor& grad_lse) {
    return backward_of_moves(moves, saved, grad_out, grad_lse);
  };
  return pass;
}

Parent moving_parent(std::function<void(RingMoves&, const MeshGroups&)> change) {
  return {of_equal_shards(ring_parent().limits),
          [change = std::move(change)](const AttentionOptions& options, const MeshGroups& groups) {
            RingMoves moves = right_moves(ring_call(options, groups));
            change(moves, groups);
            return moving_pass(moves);
          },
          Method::ring};
}

}  // namespace attncheck

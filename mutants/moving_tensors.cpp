#include "mutants/moving_tensors.h"

#include <utility>

#include <ATen/ops/stack.h>

namespace attncheck {
namespace {

bool hops(const RingMoves& moves) {
  return moves.call.rotate == Rotate::p2p && moves.call.ring_degree > 1;
}

bool gathers(const RingMoves& moves) {
  return moves.call.rotate == Rotate::allgather && moves.call.ring_degree > 1;
}

}  // namespace

MovingKeys::MovingKeys(const RingMoves& moves, const at::Tensor& k, const at::Tensor& v, int rounds)
    : moves_(moves), kv_{k, v}, steps_(rounds * moves.call.ring_degree) {}

OwnedKeys MovingKeys::next() {
  const int step = step_++;
  const int owner = step_owner(moves_.call.ring_index, step, moves_.call.ring_degree);
  if (gathers(moves_)) return gathered_of(owner);
  if (incoming_) receive();
  if (hops(moves_) && step + 1 < steps_) incoming_ = moves_.hop_of_keys(kv_, step);
  return {kv_[0], kv_[1], owner};
}

void MovingKeys::let_the_rest_pass() {
  while (hops(moves_) && step_ < steps_) next();
}

OwnedKeys MovingKeys::gathered_of(int owner) {
  if (all_.empty()) all_ = {moves_.gather(kv_[0]), moves_.gather(kv_[1])};
  return {all_[0].select(0, owner), all_[1].select(0, owner), owner};
}

void MovingKeys::receive() {
  incoming_->wait();
  kv_ = std::move(incoming_->received);
  incoming_.reset();
}

MovingSums::MovingSums(const RingMoves& moves)
    : moves_(moves), dk_(moves.call.ring_degree), dv_(moves.call.ring_degree) {}

void MovingSums::add(const at::Tensor& dk, const at::Tensor& dv, int owner, int step) {
  if (!hops(moves_)) {
    dk_[owner] = dk;
    dv_[owner] = dv;
    return;
  }
  std::vector<at::Tensor> sums{dk, dv};
  if (incoming_) sums = moves_.add(*std::exchange(incoming_, std::nullopt), sums);
  incoming_ = moves_.hop_of_sums(sums, step);
}

std::vector<at::Tensor> MovingSums::finish() {
  if (gathers(moves_)) {
    return {moves_.sum_of_own(at::stack(dk_)), moves_.sum_of_own(at::stack(dv_))};
  }
  if (!hops(moves_)) return {dk_[0], dv_[0]};
  incoming_->wait();
  return incoming_->received;
}

}  // namespace attncheck

#include "impl/ring/key_stream.h"

#include <utility>

#include "impl/collectives/exchange.h"

namespace attncheck {

Posted<std::vector<at::Tensor>> post_hop(const std::vector<at::Tensor>& xs, const RingCall& call,
                                         int step, int tag) {
  const int owner = step_owner(call.ring_index, step + 1, call.ring_degree);
  std::vector<Sizes> arriving;
  for (const auto& x : xs) arriving.push_back(shape_at_owner(x, call, owner));
  if (call.rotate == Rotate::p2p) return post_shift(xs, *call.group, /*hops=*/1, tag, arriving);
  return post_rotation(xs, *call.group, /*hops=*/1, arriving);
}

KeyStream::KeyStream(const at::Tensor& k, const at::Tensor& v, const RingCall& call)
    : call_(call), k_(k), v_(v) {
  if (call_.rotate == Rotate::allgather && call_.ring_degree > 1) gather();
}

void KeyStream::gather() {
  auto k = post_all_gather(k_, *call_.group, /*dim=*/1, call_.key_lengths);
  auto v = post_all_gather(v_, *call_.group, /*dim=*/1, call_.key_lengths);
  all_k_ = k.wait();
  all_v_ = v.wait();
}

OwnedKeys KeyStream::next() {
  const int step = step_++;
  const int owner = step_owner(call_.ring_index, step, call_.ring_degree);
  TORCH_CHECK(step < call_.ring_degree, "step ", step, " of a ring of ", call_.ring_degree);
  if (step > 0 && call_.rotate == Rotate::allgather) {
    return {all_k_[owner], all_v_[owner], owner};
  }
  if (step > 0) receive();
  if (call_.rotate != Rotate::allgather && step + 1 < call_.ring_degree) {
    incoming_.emplace(post_hop({k_, v_}, call_, step, /*tag=*/0));
  }
  return {k_, v_, owner};
}

void KeyStream::receive() {
  auto arrived = incoming_->wait();
  k_ = std::move(arrived[0]);
  v_ = std::move(arrived[1]);
}

}  // namespace attncheck

#include "impl/ring/key_stream.h"

#include <utility>

#include "impl/collectives/exchange.h"

namespace attncheck {

KeyStream::KeyStream(const at::Tensor& k, const at::Tensor& v, const RingCall& call)
    : call_(call), k_(k), v_(v) {
  TORCH_CHECK(call.rotate != Rotate::alltoall, "a ring does not rotate by all-to-all");
  if (call_.rotate == Rotate::allgather && call_.ring_degree > 1) gather();
}

void KeyStream::gather() {
  auto k = post_all_gather(k_, *call_.group);
  auto v = post_all_gather(v_, *call_.group);
  all_k_ = k.wait();
  all_v_ = v.wait();
}

OwnedKeys KeyStream::next() {
  const int step = step_++;
  const int owner = step_owner(call_.ring_index, step, call_.ring_degree);
  TORCH_CHECK(step < call_.ring_degree, "step ", step, " of a ring of ", call_.ring_degree);
  if (step > 0 && call_.rotate == Rotate::allgather) {
    return {all_k_.select(0, owner), all_v_.select(0, owner), owner};
  }
  if (step > 0) receive();
  if (call_.rotate == Rotate::p2p && step + 1 < call_.ring_degree) {
    incoming_.emplace(post_shift({k_, v_}, *call_.group, /*hops=*/1));
  }
  return {k_, v_, owner};
}

void KeyStream::receive() {
  auto arrived = incoming_->wait();
  k_ = std::move(arrived[0]);
  v_ = std::move(arrived[1]);
}

}  // namespace attncheck

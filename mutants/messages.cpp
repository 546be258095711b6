#include "mutants/messages.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <ATen/ops/empty.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck {
namespace {

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

// Works and `sent` stay alive until they were waited for, and no longer.
Flight flight_of(Works posted, std::vector<at::Tensor> received, std::vector<at::Tensor> sent) {
  const auto works = std::make_shared<Works>(std::move(posted));
  Flight flight;
  flight.received = std::move(received);
  flight.done = [works] {
    return std::ranges::all_of(*works, [](const auto& work) { return work->isCompleted(); });
  };
  flight.wait = [works, sent = std::move(sent)]() mutable {
    for (const auto& work : *works) work->wait();
    works->clear();
    sent.clear();
  };
  return flight;
}

}  // namespace

Flight post_receives(const std::vector<at::Tensor>& like, c10d::ProcessGroup& group, int from,
                     int tag) {
  Works works;
  std::vector<at::Tensor> received;
  for (const at::Tensor& x : like) {
    received.push_back(at::empty(x.sizes(), x.options()));
    std::vector<at::Tensor> buffer{received.back()};
    works.push_back(group.recv(buffer, from, tag + static_cast<int>(works.size())));
  }
  return flight_of(std::move(works), std::move(received), {});
}

Flight post_sends(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group, int to, int tag) {
  Works works;
  std::vector<at::Tensor> sent;
  for (const at::Tensor& x : xs) {
    sent.push_back(x.contiguous());
    std::vector<at::Tensor> message{sent.back()};
    works.push_back(group.send(message, to, tag + static_cast<int>(works.size())));
  }
  return flight_of(std::move(works), {}, std::move(sent));
}

Flight post_hop(const std::vector<at::Tensor>& xs, c10d::ProcessGroup& group, int to, int from,
                int tag) {
  Flight coming = post_receives(xs, group, from, tag);
  return both(std::move(coming), post_sends(xs, group, to, tag));
}

Flight both(Flight first, Flight second) {
  Flight flight;
  flight.received = std::move(first.received);
  flight.received.insert(flight.received.end(), second.received.begin(), second.received.end());
  flight.done = [a = first.done, b = second.done] { return a() && b(); };
  flight.wait = [a = std::move(first.wait), b = std::move(second.wait)] {
    a();
    b();
  };
  return flight;
}

}  // namespace attncheck

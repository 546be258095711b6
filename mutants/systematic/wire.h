#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
class Work;
}  // namespace c10d

namespace attncheck {

using WorkPtr = c10::intrusive_ptr<c10d::Work>;

// An all-to-all: of `sent` piece i to rank i. The lengths of the pieces along the first axis; both
// empty: as many pieces as ranks, all alike.
struct WireTrade {
  at::Tensor received, sent;
  std::vector<int64_t> receives, sends;
};

// The calls of a process group on their way to it. As it is they arrive unchanged; an operator
// overrides one. One wire serves one rank in one pass.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual WorkPtr gather(c10d::ProcessGroup& group, at::Tensor all, at::Tensor own);
  virtual WorkPtr trade(c10d::ProcessGroup& group, WireTrade trade);
  virtual WorkPtr send(c10d::ProcessGroup& group, at::Tensor x, int to, int tag);
  virtual WorkPtr receive(c10d::ProcessGroup& group, at::Tensor x, int from, int tag);
};

// The group, whose calls go through the wire. It has no backends of its own: messages are posted
// one by one.
c10::intrusive_ptr<c10d::ProcessGroup> wired(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                             std::shared_ptr<Wire> wire);

// `work`, or nothing to wait for where there is none, and then what its wait does before it
// returns, once.
WorkPtr then(WorkPtr work, std::function<void()> finish);

}  // namespace attncheck

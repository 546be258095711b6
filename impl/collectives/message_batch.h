#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace attncheck {

// Messages of one rank that are posted together. NCCL has no tags and runs a send or a receive on
// its own, in the order of its stream: two ranks that both begin with a receive wait for each other
// for ever. There, and on every backend that can, they are one group of c10d, which starts with the
// last of them; messages between the same two ranks then meet in the order of their posts. Gloo
// cannot, and needs no group: its messages have tags and start at once.
class MessageBatch {
 public:
  // Of tensors on devices of this type.
  MessageBatch(c10d::ProcessGroup& group, c10::DeviceType device);
  // Ends an open group, so that an exception leaves none behind.
  ~MessageBatch();
  MessageBatch(const MessageBatch&) = delete;
  MessageBatch& operator=(const MessageBatch&) = delete;

  // A tensor without elements is no message. Contiguous ones; they live until the works were waited
  // for.
  void receive(const at::Tensor& into, int from, int tag);
  void send(const at::Tensor& what, int to, int tag);

  // What to wait for. To be called once, after the last message.
  std::vector<c10::intrusive_ptr<c10d::Work>> end();

 private:
  void note(const c10::intrusive_ptr<c10d::Work>& work);

  c10d::ProcessGroup& group_;
  c10::DeviceType device_;
  bool grouped_;
  bool open_;
  std::vector<c10::intrusive_ptr<c10d::Work>> works_;
};

}  // namespace attncheck

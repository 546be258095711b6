#include "impl/collectives/message_batch.h"

namespace attncheck {
namespace {

// A group without backends answers its calls itself.
bool has_batches(c10d::ProcessGroup& group, c10::DeviceType device) {
  return group.hasBackends() && group.getBackend(device)->supportsCoalescing();
}

}  // namespace

MessageBatch::MessageBatch(c10d::ProcessGroup& group, c10::DeviceType device)
    : group_(group), device_(device), grouped_(has_batches(group, device)) {
  open_ = grouped_;
  if (grouped_) group_.startCoalescing(device_);
}

MessageBatch::~MessageBatch() {
  if (!open_) return;
  try {
    group_.endCoalescing(device_);
  } catch (const std::exception&) {
    // The exception that is under way says what went wrong.
  }
}

void MessageBatch::receive(const at::Tensor& into, int from, int tag) {
  if (into.numel() == 0) return;
  std::vector<at::Tensor> buffer{into};
  note(group_.recv(buffer, from, tag));
}

void MessageBatch::send(const at::Tensor& what, int to, int tag) {
  if (what.numel() == 0) return;
  std::vector<at::Tensor> message{what};
  note(group_.send(message, to, tag));
}

// The works of a group's messages are nothing by themselves (NCCL gives none).
void MessageBatch::note(const c10::intrusive_ptr<c10d::Work>& work) {
  if (!grouped_) works_.push_back(work);
}

std::vector<c10::intrusive_ptr<c10d::Work>> MessageBatch::end() {
  if (!grouped_) return works_;
  open_ = false;
  const auto all = group_.endCoalescing(device_);
  if (!all) return {};  // no message
  return {all};
}

}  // namespace attncheck

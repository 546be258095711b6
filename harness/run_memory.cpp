#include "harness/run_memory.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace attncheck {
namespace {

int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<int64_t>(tensor.nbytes()) : 0;
}

int64_t bytes_of(std::initializer_list<at::Tensor> tensors) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += bytes_of(tensor);
  return bytes;
}

int64_t bytes_of(const Observation& observation) {
  int64_t bytes = 0;
  for (const RankResult& rank : observation.ranks) {
    for (const auto& [name, tensor] : rank.tensors) bytes += bytes_of(tensor);
  }
  return bytes;
}

int64_t bytes_of(const Expected& expected) {
  const auto& [inputs, dout, dlse, forward, gradients, bounds] = expected;
  return bytes_of({inputs.q, inputs.k, inputs.v, inputs.mask, dout, dlse}) +
         bytes_of({forward.out, forward.lse, gradients.dq, gradients.dk, gradients.dv}) +
         bytes_of({bounds.out, bounds.lse, bounds.dq, bounds.dk, bounds.dv});
}

// One map holds both: no request begins with these.
std::string run_key(const std::string& request) {
  return "run " + request;
}
std::string reference_key(const std::string& request) {
  return "reference " + request;
}

}  // namespace

RunMemory::Entry* RunMemory::find(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  found->second.asked = ++questions_;
  return &found->second;
}

RunMemory::Entry& RunMemory::add(const std::string& key, int64_t bytes) {
  Entry& entry = entries_[key];
  entry.bytes = bytes;
  entry.asked = ++questions_;
  bytes_ += bytes;
  return entry;
}

const Observation* RunMemory::observation(const std::string& request) {
  const Entry* entry = find(run_key(request));
  return entry == nullptr ? nullptr : entry->observation.get();
}

const Expected* RunMemory::expected(const std::string& request) {
  const Entry* entry = find(reference_key(request));
  return entry == nullptr ? nullptr : entry->expected.get();
}

const Observation& RunMemory::keep(const std::string& request, Observation observation) {
  Entry& entry = add(run_key(request), bytes_of(observation));
  entry.observation = std::make_unique<const Observation>(std::move(observation));
  return *entry.observation;
}

const Expected& RunMemory::keep(const std::string& request, Expected expected) {
  Entry& entry = add(reference_key(request), bytes_of(expected));
  entry.expected = std::make_unique<const Expected>(std::move(expected));
  return *entry.expected;
}

void RunMemory::shrink_to(int64_t bytes) {
  while (bytes_ > bytes && entries_.size() > 1) {
    const auto oldest = std::min_element(
        entries_.begin(), entries_.end(),
        [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; });
    bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
  }
}

void RunMemory::clear() {
  entries_.clear();
  bytes_ = 0;
}

}  // namespace attncheck

#include "sim/contribution.h"

#include <algorithm>

namespace attncheck::sim {

namespace {

std::string both(int world_a, const std::string& a, int world_b, const std::string& b) {
  return "rank " + std::to_string(world_a) + " calls " + a + ", rank " + std::to_string(world_b) +
         " calls " + b;
}

std::string with_dtype(const Contribution& one) {
  return std::string(name_of(one.kind)) + " of " + c10::toString(one.dtype);
}

std::string with_reduction(const Contribution& one) {
  return std::string(name_of(one.kind)) + " with " + name_of(one.reduction);
}

std::string with_root(const Contribution& one) {
  return std::string(name_of(one.kind)) + (from_root_alone(one.kind) ? " from" : " to") + " root " +
         std::to_string(one.root);
}

std::string with_size(const Contribution& one) {
  return std::string(name_of(one.kind)) + " of " + std::to_string(one.sends.count(0)) + " elements";
}

std::string with_shape(const Contribution& one) {
  std::string text = std::string(name_of(one.kind)) + " of a tensor of sizes [";
  for (size_t axis = 0; axis < one.sizes.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(one.sizes[axis]);
  }
  return text + "]";
}

std::string one_way(const Contribution& from, int group_from, int world_from,
                    const Contribution& to, int group_to, int world_to) {
  const int64_t sent = from.sends.count(group_to), expected = to.receives.count(group_from);
  if (sent == expected) return "";
  return std::string(name_of(from.kind)) + ": rank " + std::to_string(world_from) + " sends " +
         std::to_string(sent) + " elements to rank " + std::to_string(world_to) +
         ", which expects " + std::to_string(expected);
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kAllgather:
      return "allgather";
    case Kind::kAllgatherBase:
      return "_allgather_base";
    case Kind::kAlltoall:
      return "alltoall";
    case Kind::kAlltoallBase:
      return "alltoall_base";
    case Kind::kReduceScatter:
      return "reduce_scatter";
    case Kind::kReduceScatterBase:
      return "_reduce_scatter_base";
    case Kind::kAllreduce:
      return "allreduce";
    case Kind::kReduce:
      return "reduce";
    case Kind::kBroadcast:
      return "broadcast";
    case Kind::kGather:
      return "gather";
    case Kind::kGatherBase:
      return "gather_into_tensor";
    case Kind::kScatter:
      return "scatter";
    case Kind::kBarrier:
      return "barrier";
    case Kind::kSend:
      return "send";
  }
  return "unknown";
}

Chunks Chunks::shared(int64_t count) {
  Chunks chunks;
  chunks.count_ = count;
  return chunks;
}

Chunks Chunks::even(int64_t count) {
  Chunks chunks;
  chunks.count_ = chunks.stride_ = count;
  return chunks;
}

Chunks Chunks::uneven(std::vector<int64_t> counts) {
  Chunks chunks;
  chunks.counts_ = std::move(counts);
  int64_t offset = 0;
  for (int64_t count : chunks.counts_) {
    chunks.offsets_.push_back(offset);
    offset += count;
  }
  return chunks;
}

bool from_root_alone(Kind kind) {
  return kind == Kind::kBroadcast || kind == Kind::kScatter;
}

bool Contribution::one_size() const {
  return sends.uniform() && receives.uniform() && sends.count(0) == receives.count(0);
}

std::string mismatch(const Contribution& a, int group_a, int world_a, const Contribution& b,
                     int group_b, int world_b) {
  if (a.kind != b.kind) return both(world_a, name_of(a.kind), world_b, name_of(b.kind));
  if (a.dtype != b.dtype) return both(world_a, with_dtype(a), world_b, with_dtype(b));
  if (a.reduction != b.reduction)
    return both(world_a, with_reduction(a), world_b, with_reduction(b));
  if (a.root != b.root) return both(world_a, with_root(a), world_b, with_root(b));
  if (a.one_size() && b.one_size()) {
    if (a.sends.count(0) == b.sends.count(0)) return "";
    return both(world_a, with_size(a), world_b, with_size(b));
  }
  const std::string there = one_way(a, group_a, world_a, b, group_b, world_b);
  return there.empty() ? one_way(b, group_b, world_b, a, group_a, world_a) : there;
}

std::string shape_mismatch(const Contribution& a, int world_a, const Contribution& b, int world_b) {
  const bool same_axes = a.sizes.size() == b.sizes.size();
  const bool alike = same_axes && (a.sizes.empty() || std::equal(a.sizes.begin() + 1, a.sizes.end(),
                                                                 b.sizes.begin() + 1));
  return alike ? "" : both(world_a, with_shape(a), world_b, with_shape(b));
}

}  // namespace attncheck::sim

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
class Store;
}  // namespace c10d

namespace attncheck::gloo_cpu {

struct RankPlace;

// A name for the group of these ranks.
std::string group_name(const std::vector<int>& members);

// What a group is made of: its members meet at the store, which is theirs alone.
struct GroupParts {
  c10::intrusive_ptr<c10d::Store> store;
  int rank = 0, size = 1;
  std::chrono::milliseconds timeout{0};
};

// Gives a group its backend. All that differs between Gloo and NCCL is behind it.
class GroupMaker {
 public:
  virtual ~GroupMaker() = default;
  // Where this rank's tensors are to be.
  virtual c10::Device device() const = 0;
  // The group of these ranks of the world: one of c10d's own, equipped. What is to be known to
  // torch.distributed is made there.
  virtual c10::intrusive_ptr<c10d::ProcessGroup> make(const std::vector<int>& members,
                                                      const GroupParts& parts);
  // All groups so far were forgotten.
  virtual void renew() {}
  // Waits for the other members, at most for the timeout.
  virtual void equip(c10d::ProcessGroup& group, const GroupParts& parts) = 0;
};

// Over Gloo. Where the place says that tensors are on a GPU, they go through CPU memory
// (host_staging.h).
std::unique_ptr<GroupMaker> gloo_groups(const RankPlace& place, c10::Device device);

}  // namespace attncheck::gloo_cpu

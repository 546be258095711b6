#pragma once

#include <map>
#include <memory>
#include <vector>

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class ProcessGroup;
}  // namespace c10d

namespace attncheck::gloo_cpu {

class GroupMaker;
struct RankPlace;

// Makes the process groups of one rank: their members meet at the set's store, and the maker gives
// each group its backend.
class GroupFactory {
 public:
  GroupFactory(const RankPlace& place, std::unique_ptr<GroupMaker> maker);
  ~GroupFactory();

  int rank() const;
  int size() const;
  // Where this rank's tensors are to be.
  c10::Device device() const;

  // The group of these ranks of the world; the i-th of them is rank i of the group. One group per
  // list is made and then kept. Making one waits for all members and for nobody else, so all
  // members ask for their common groups in the same order. One member alone is a group as well.
  // Throws if `members` is empty, names a rank twice or one outside the world, or leaves out this
  // rank; and if the other members do not come within the group timeout.
  c10::intrusive_ptr<c10d::ProcessGroup> group(const std::vector<int>& members);

  // Says that exchanges may be left unfinished in a group, e.g. after an exception out of one. The
  // answer of this request still counts, but the set is not used for another one.
  void distrust() { trusted_ = false; }
  bool trusted() const { return trusted_; }
  // Forgets all groups: later ones are new, and trusted. Every rank of the set does so at once.
  void renew();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::map<std::vector<int>, c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
  bool trusted_ = true;
};

}  // namespace attncheck::gloo_cpu

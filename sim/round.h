#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/members.h"
#include "sim/transfer.h"

namespace attncheck::sim {

// One collective of a group: the n-th call of every member is part of the n-th round.
class Round final : public Transfer {
 public:
  // `number` counts from 1. The members are shared with the group, which may die first.
  Round(std::shared_ptr<const Members> members, int64_t number);

  // Takes a member's part. A part that does not fit the others makes the round fail on every
  // member; the two sides get FindingKind::mismatch, once a round. So do sides whose tensors have
  // as many elements in other shapes, but that round goes on.
  void post(int group_rank, Contribution part, Journal& journal);
  bool complete() const { return missing_ == 0; }
  bool settled() const { return complete() || !error_.empty(); }

  bool ready(int) const override { return settled(); }
  std::string operation(int rank) const override;
  std::string describe(int rank) const override;
  bool waits_for(int rank, int peer) const override;
  const std::byte* posted(int rank) const override { return part_of(rank).data.data(); }
  void deliver(int rank, const Destination& to, Journal& journal) override;

  // FindingKind::unmatched at the first member that posted, if a part is missing that its rank,
  // not stopped by an exception, could have posted.
  void report_unmatched(const Baton& baton, Journal& journal) const;

 private:
  struct Misfit {
    int other = -1;    // a group rank
    std::string text;  // empty: all fit
  };

  const Contribution& part_of(int rank) const { return *parts_[members_->group_rank(rank)]; }
  Misfit find_mismatch(int group_rank) const;
  std::string told(const std::string& found) const;
  void report_misfit(int group_rank, const Misfit& found, Journal& journal) const;
  void compare_shapes(int group_rank, Journal& journal);
  std::vector<int> ranks_where(bool posted) const;
  void scatter(int me, const Destination& to) const;
  void reduce(int me, const Destination& to) const;
  void log_receipts(int me, Journal& journal) const;
  const void* chunk(int from, int to) const;

  std::shared_ptr<const Members> members_;
  int64_t number_;
  std::vector<std::optional<Contribution>> parts_;
  int missing_;
  int first_ = -1;  // the group rank that posted first
  bool all_one_size_ = true;
  std::string error_;
  bool other_shapes_ = false;  // a finding says so
};

}  // namespace attncheck::sim

#include "sim/round.h"

#include <utility>

#include <c10/util/Exception.h>

namespace attncheck::sim {

Round::Round(std::shared_ptr<const Members> members, int64_t number)
    : members_(std::move(members)),
      number_(number),
      parts_(members_->size()),
      missing_(members_->size()) {}

void Round::post(int group_rank, Contribution part) {
  parts_[group_rank] = std::move(part);
  --missing_;
  if (first_ < 0) first_ = group_rank;
  all_one_size_ = all_one_size_ && parts_[group_rank]->one_size();
  if (!error_.empty()) return;
  const std::string found = find_mismatch(group_rank);
  if (found.empty()) return;
  error_ = "mismatch in collective #" + std::to_string(number_) + " of " + members_->text() + ": " +
           found;
}

std::string Round::find_mismatch(int group_rank) const {
  const Contribution& part = *parts_[group_rank];
  const auto against = [&](int other) {
    return mismatch(*parts_[other], other, members_->ranks[other], part, group_rank,
                    members_->ranks[group_rank]);
  };
  if (all_one_size_) return against(first_);
  for (int other = 0; other < members_->size(); ++other) {
    if (!parts_[other]) continue;
    std::string found = against(other);
    if (!found.empty()) return found;
  }
  return "";
}

std::string Round::describe(int rank) const {
  const Contribution& mine = *parts_[members_->group_rank(rank)];
  std::vector<int> absent;
  for (int member = 0; member < members_->size(); ++member) {
    if (!parts_[member]) absent.push_back(members_->ranks[member]);
  }
  std::string text =
      std::string(name_of(mine.kind)) + " #" + std::to_string(number_) + " of " + members_->text();
  if (!absent.empty()) text += " (not posted by " + list_ranks(absent) + ")";
  return text;
}

bool Round::waits_for(int, int peer) const {
  if (settled()) return false;
  const int member = members_->group_rank(peer);
  return member >= 0 && !parts_[member];
}

void Round::deliver(int rank, const Destination& to) {
  if (!error_.empty()) C10_THROW_ERROR(DistBackendError, error_);
  const int me = members_->group_rank(rank);
  const Contribution& mine = *parts_[me];
  if (mine.kind == Kind::kBarrier) return;
  if (mine.reduction == Reduction::kNone) {
    scatter(me, to);
  } else {
    reduce(me, to);
  }
}

void Round::scatter(int me, const Destination& to) const {
  const Contribution& mine = *parts_[me];
  for (int from = 0; from < members_->size(); ++from) {
    if (mine.root >= 0 && mine.root != from) continue;
    copy_elements(to.chunk(from), chunk(from, me), mine.receives.count(from), mine.dtype);
  }
}

void Round::reduce(int me, const Destination& to) const {
  const Contribution& mine = *parts_[me];
  const int64_t count = mine.receives.count(0);
  void* result = to.chunk(0);
  copy_elements(result, chunk(0, me), count, mine.dtype);
  for (int from = 1; from < members_->size(); ++from) {
    reduce_into(mine.reduction, mine.dtype, result, chunk(from, me), count);
  }
  if (mine.reduction == Reduction::kAverage) divide(mine.dtype, result, count, members_->size());
}

const void* Round::chunk(int from, int to) const {
  const Contribution& sender = *parts_[from];
  return sender.data.data() + sender.sends.offset(to) * c10::elementSize(sender.dtype);
}

}  // namespace attncheck::sim

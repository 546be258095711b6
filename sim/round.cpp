#include "sim/round.h"

#include <algorithm>
#include <utility>

#include <c10/util/Exception.h>

namespace attncheck::sim {

Round::Round(std::shared_ptr<const Members> members, int64_t number)
    : members_(std::move(members)),
      number_(number),
      parts_(members_->size()),
      missing_(members_->size()) {}

void Round::post(int group_rank, Contribution part, Journal& journal) {
  parts_[group_rank] = std::move(part);
  --missing_;
  if (first_ < 0) first_ = group_rank;
  all_one_size_ = all_one_size_ && parts_[group_rank]->one_size();
  if (!error_.empty()) return;
  const Misfit found = find_mismatch(group_rank);
  if (found.text.empty()) return compare_shapes(group_rank, journal);
  error_ = told(found.text);
  report_misfit(group_rank, found, journal);
}

std::string Round::told(const std::string& found) const {
  return "mismatch in collective #" + std::to_string(number_) + " of " + members_->text() + ": " +
         found;
}

void Round::report_misfit(int group_rank, const Misfit& found, Journal& journal) const {
  for (int side : {found.other, group_rank}) {
    const int rank = members_->ranks[side];
    journal.add(FindingKind::mismatch, rank, operation(rank), told(found.text));
    if (found.other == group_rank) break;
  }
}

void Round::compare_shapes(int group_rank, Journal& journal) {
  if (other_shapes_) return;
  const Misfit found{first_, shape_mismatch(*parts_[first_], members_->ranks[first_],
                                            *parts_[group_rank], members_->ranks[group_rank])};
  if (found.text.empty()) return;
  other_shapes_ = true;
  report_misfit(group_rank, found, journal);
}

Round::Misfit Round::find_mismatch(int group_rank) const {
  const Contribution& part = *parts_[group_rank];
  const auto against = [&](int other) {
    return Misfit{other, mismatch(*parts_[other], other, members_->ranks[other], part, group_rank,
                                  members_->ranks[group_rank])};
  };
  if (all_one_size_) return against(first_);
  for (int other = 0; other < members_->size(); ++other) {
    if (!parts_[other]) continue;
    Misfit found = against(other);
    if (!found.text.empty()) return found;
  }
  return {};
}

std::vector<int> Round::ranks_where(bool posted) const {
  std::vector<int> ranks;
  for (int member = 0; member < members_->size(); ++member) {
    if (parts_[member].has_value() == posted) ranks.push_back(members_->ranks[member]);
  }
  return ranks;
}

std::string Round::operation(int rank) const {
  return std::string(name_of(part_of(rank).kind)) + " #" + std::to_string(number_) + " of " +
         members_->text();
}

std::string Round::describe(int rank) const {
  const std::vector<int> absent = ranks_where(/*posted=*/false);
  if (absent.empty()) return operation(rank);
  return operation(rank) + " (not posted by " + list_ranks(absent) + ")";
}

void Round::report_unmatched(const Baton& baton, Journal& journal) const {
  if (settled()) return;
  const std::vector<int> posted = ranks_where(true), absent = ranks_where(false);
  if (std::all_of(absent.begin(), absent.end(), [&](int rank) { return baton.threw(rank); }))
    return;
  const std::string what = operation(posted.front());
  journal.add(
      FindingKind::unmatched, posted.front(), what,
      ranks_that(posted, "post") + " " + what + "; " + ranks_that(absent, "never post") + " it");
}

bool Round::waits_for(int, int peer) const {
  if (settled()) return false;
  const int member = members_->group_rank(peer);
  return member >= 0 && !parts_[member];
}

void Round::deliver(int rank, const Destination& to, Journal& journal) {
  if (!error_.empty()) C10_THROW_ERROR(DistBackendError, error_);
  const int me = members_->group_rank(rank);
  const Contribution& mine = *parts_[me];
  if (mine.kind == Kind::kBarrier) return;
  if (mine.reduction == Reduction::kNone) {
    scatter(me, to);
  } else {
    reduce(me, to);
  }
  log_receipts(me, journal);
}

void Round::scatter(int me, const Destination& to) const {
  const Contribution& mine = *parts_[me];
  if (to.starts.empty()) return;
  for (int from = 0; from < members_->size(); ++from) {
    if (from_root_alone(mine.kind) && from != mine.root) continue;
    copy_elements(to.chunk(from), chunk(from, me), mine.receives.count(from), mine.dtype);
  }
}

void Round::reduce(int me, const Destination& to) const {
  const Contribution& mine = *parts_[me];
  if (to.starts.empty()) return;
  const int64_t count = mine.receives.count(0);
  void* result = to.chunk(0);
  copy_elements(result, chunk(0, me), count, mine.dtype);
  for (int from = 1; from < members_->size(); ++from) {
    reduce_into(mine.reduction, mine.dtype, result, chunk(from, me), count);
  }
  if (mine.reduction == Reduction::kAverage) divide(mine.dtype, result, count, members_->size());
}

void Round::log_receipts(int me, Journal& journal) const {
  const Contribution& mine = *parts_[me];
  const int64_t element = c10::elementSize(mine.dtype);
  if (mine.kind == Kind::kReduce && me != mine.root) return;
  for (int from = 0; from < members_->size(); ++from) {
    if (from_root_alone(mine.kind) && from != mine.root) continue;
    journal.receive(members_->ranks[me], members_->ranks[from], mine.kind,
                    mine.receives.count(from) * element);
  }
}

const void* Round::chunk(int from, int to) const {
  const Contribution& sender = *parts_[from];
  return sender.data.data() + sender.sends.offset(to) * c10::elementSize(sender.dtype);
}

}  // namespace attncheck::sim

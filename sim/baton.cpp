#include "sim/baton.h"

#include <algorithm>

#include <c10/util/Exception.h>

namespace attncheck::sim {

namespace {

// Polls without a post, per rank, after which polling counts as waiting in vain.
constexpr int kMaxIdlePolls = 1000;
// A rank's error may be long; what others quote of it is its first line, up to this many
// characters.
constexpr size_t kQuoted = 300;

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kQuoted));
}

}  // namespace

Baton::Baton(int size) : slots_(size), ready_(size) {}

void Baton::run_all(Schedule& schedule) {
  schedule_ = &schedule;
  preempts_ = schedule.preempts();
  schedule.start_run(size());
  last_ = size() - 1;
  ended_ = 0;
  idle_polls_ = 0;
  first_failure_.clear();
  for (int rank = 0; rank < size(); ++rank) {
    slots_[rank].threw = slots_[rank].waited_in_vain = false;
    make_ready(rank);
  }
  slots_[choose()].gate.open();
  coordinator_.pass();
  show(-1);
}

void Baton::stop() {
  stopping_ = true;
  for (Slot& slot : slots_) slot.gate.open();
}

bool Baton::await_turn(int rank) {
  slots_[rank].gate.pass();
  return !stopping_;
}

void Baton::finish(int rank, const std::optional<std::string>& error) {
  slots_[rank].state = State::kEnded;
  slots_[rank].threw = error.has_value();
  ready_.erase(rank);
  ++ended_;
  if (error && first_failure_.empty()) {
    first_failure_ = "rank " + std::to_string(rank) + ": " + first_line(*error);
  }
  for (int other = 0; other < size(); ++other) {
    const Slot& slot = slots_[other];
    if (slot.state == State::kBlocked && slot.pending->waits_for(other, rank)) {
      fail(other, std::make_shared<const std::string>(ended_report(other, rank, *slot.pending)));
    }
  }
  if (ended_ == size()) {
    coordinator_.open();
  } else {
    slots_[choose()].gate.open();
  }
}

void Baton::wait(int rank, const Pending& what) {
  while (!what.ready(rank)) {
    refuse_ended_peers(rank, what);
    block(rank, what);
    hand_over(rank);
    if (const auto failure = std::move(slots_[rank].failure)) give_up(rank, *failure);
  }
}

void Baton::yield(int rank, const Pending& what) {
  refuse_ended_peers(rank, what);
  if (++idle_polls_ > kMaxIdlePolls * size()) {
    idle_polls_ = 0;
    on_deadlock_();
    give_up(rank, "deadlock: rank " + std::to_string(rank) + " polls for " + what.describe(rank) +
                      ", and no rank posts anything");
  }
  schedule_->on_poll(rank);
  hand_over(rank);
}

void Baton::wake(int rank, const Pending& what) {
  const Slot& slot = slots_[rank];
  if (slot.state == State::kBlocked && slot.pending == &what && what.ready(rank)) make_ready(rank);
}

void Baton::make_ready(int rank) {
  slots_[rank].state = State::kReady;
  slots_[rank].pending = nullptr;
  ready_.insert(rank);
}

void Baton::block(int rank, const Pending& what) {
  slots_[rank].state = State::kBlocked;
  slots_[rank].pending = &what;
  ready_.erase(rank);
}

void Baton::hand_over(int rank) {
  const int next = choose();
  if (next == rank) return;
  slots_[next].gate.open();
  pass(slots_[rank].gate);
}

void Baton::pass(Gate& gate) {
  if (around_wait_ == nullptr) return gate.pass();
  (*around_wait_)([&gate] { gate.pass(); });
}

int Baton::choose() {
  if (ready_.empty()) declare_deadlock();
  last_ = schedule_->pick(ready_, last_);
  TORCH_INTERNAL_ASSERT(ready_.contains(last_), "the schedule picked rank ", last_,
                        ", which cannot run");
  show(last_);
  return last_;
}

void Baton::show(int rank) {
  if (turn_ != nullptr) turn_->store(rank + 1, std::memory_order_relaxed);
}

bool Baton::failed_on_its_own() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.threw && !slot.waited_in_vain; });
}

void Baton::give_up(int rank, const std::string& why) {
  slots_[rank].waited_in_vain = true;
  C10_THROW_ERROR(DistBackendError, why);
}

void Baton::fail(int rank, std::shared_ptr<const std::string> why) {
  make_ready(rank);
  slots_[rank].failure = std::move(why);
}

void Baton::declare_deadlock() {
  on_deadlock_();
  const auto report = std::make_shared<const std::string>(deadlock_report());
  for (int rank = 0; rank < size(); ++rank) {
    if (slots_[rank].state == State::kBlocked) fail(rank, report);
  }
}

std::string Baton::deadlock_report() const {
  std::string text = "deadlock: ";
  const char* separator = "";
  for (int rank = 0; rank < size(); ++rank) {
    if (slots_[rank].state != State::kBlocked) continue;
    text += separator + ("rank " + std::to_string(rank)) + " waits for " +
            slots_[rank].pending->describe(rank);
    separator = "; ";
  }
  return text;
}

std::string Baton::ended_report(int rank, int peer, const Pending& what) const {
  std::string text = "rank " + std::to_string(rank) + " waits for " + what.describe(rank) +
                     ", but rank " + std::to_string(peer) + " ended";
  text += slots_[peer].threw ? " (it threw)" : " (it returned)";
  if (!first_failure_.empty()) text += "; the first failure of this run is " + first_failure_;
  return text;
}

void Baton::refuse_ended_peers(int rank, const Pending& what) {
  if (ended_ == 0) return;
  for (int peer = 0; peer < size(); ++peer) {
    if (slots_[peer].state == State::kEnded && what.waits_for(rank, peer)) {
      give_up(rank, ended_report(rank, peer, what));
    }
  }
}

}  // namespace attncheck::sim

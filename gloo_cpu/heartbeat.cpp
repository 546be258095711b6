#include "gloo_cpu/heartbeat.h"

#include <string>
#include <utility>

namespace attncheck::gloo_cpu {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeat{1'000};

std::string beats_of(int rank) {
  return "beats/" + std::to_string(rank);
}

}  // namespace

Heartbeat::Heartbeat(c10::intrusive_ptr<c10d::Store> store, int rank)
    : store_(std::move(store)), thread_([this, rank] { beat(rank); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void Heartbeat::beat(int rank) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    try {
      store_->add(beats_of(rank), 1);
    } catch (const std::exception&) {
      return;  // the coordinator is gone: whoever waits for its orders sees that
    }
    stopped_.wait_for(lock, kBeat);
  }
}

Heartbeats::Heartbeats(c10::intrusive_ptr<c10d::Store> store, int world, milliseconds lost_after)
    : store_(std::move(store)), lost_after_(lost_after), looked_(Clock::now()) {
  seen_.assign(static_cast<size_t>(world), Seen{0, looked_});
}

void Heartbeats::look(Clock::time_point now) {
  for (size_t rank = 1; rank < seen_.size(); ++rank) {
    const int64_t beats = store_->add(beats_of(static_cast<int>(rank)), 0);
    if (beats != seen_[rank].beats) seen_[rank] = {beats, now};
    if (!lost_ && now - seen_[rank].at > lost_after_) lost_ = static_cast<int>(rank);
  }
}

std::optional<int> Heartbeats::lost() {
  const auto now = Clock::now();
  if (lost_ || now - looked_ < lost_after_ / 10) return lost_;
  // Nobody looked for a while, so nobody can say how long one has been silent.
  if (now - looked_ > lost_after_) {
    for (Seen& seen : seen_) seen.at = now;
  }
  looked_ = now;
  look(now);
  return lost_;
}

}  // namespace attncheck::gloo_cpu

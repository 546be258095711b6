#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace attncheck::gloo_cpu {

// Says in a store, from a thread of its own, that this launched process is there.
class Heartbeat {
 public:
  Heartbeat(c10::intrusive_ptr<c10d::Store> store, int rank);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void beat(int rank);

  c10::intrusive_ptr<c10d::Store> store_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

// So long without a beat, and a launched process is lost: a busy machine may keep one waiting.
inline constexpr std::chrono::milliseconds kLostAfter{10'000};

// Who of the launched processes no longer beats.
class Heartbeats {
 public:
  Heartbeats(c10::intrusive_ptr<c10d::Store> store, int world,
             std::chrono::milliseconds lost_after = kLostAfter);
  // The first one but rank 0 that is lost. Looks ten times in that time at most. Once lost, always
  // lost.
  std::optional<int> lost();

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    int64_t beats = 0;
    Clock::time_point at;
  };

  void look(Clock::time_point now);

  c10::intrusive_ptr<c10d::Store> store_;
  std::chrono::milliseconds lost_after_;
  std::vector<Seen> seen_;  // by rank
  Clock::time_point looked_;
  std::optional<int> lost_;
};

}  // namespace attncheck::gloo_cpu

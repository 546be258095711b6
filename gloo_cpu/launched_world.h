#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "gloo_cpu/heartbeat.h"
#include "gloo_cpu/launched_place.h"
#include "gloo_cpu/rank_set.h"
#include "gloo_cpu/steward.h"

namespace attncheck::gloo_cpu {

// The processes that a launcher started. Rank 0 coordinates: it gives orders, takes part in them,
// and collects what became of them; the others serve. Orders and replies travel over a TCPStore at
// the launcher's address, which rank 0 keeps unless the launcher does. Every wait is bounded, but
// the wait for an order: it ends with the coordinator, or with the launcher. A launched process
// that is lost, by its heartbeat, ends the world: nobody can start it again.
class LaunchedWorld {
 public:
  // Meets the others. `ranks` says how rank processes are run; its world and part do not count.
  // Throws if they do not come within `ranks.start_timeout`, and says which.
  LaunchedWorld(LaunchedPlace place, RankSetOptions ranks);
  ~LaunchedWorld();

  const LaunchedPlace& place() const { return place_; }

  // Of a rank but 0: takes orders until the coordinator ends. Returns the coordinator's exit code;
  // throws if it is gone without a word.
  int serve();

  // Of rank 0. A set of ranks that are spread over the launched processes.
  std::unique_ptr<Ranks> ranks(int world, std::chrono::milliseconds timeout,
                               std::chrono::milliseconds peer_grace);
  // Tells the others to leave with that exit code, and waits a little until they go.
  void end(int code);

 private:
  friend class LaunchedSet;

  void meet();
  // The coordinator's orders, and the number of each.
  int post(const std::string& text);
  PartReplies take_part(int number, const Order& order);
  PartReplies part_of(int launched, int number, const Order& order,
                      std::chrono::steady_clock::time_point deadline);
  std::string next_order(int number);
  bool wait_for(const std::string& key, std::chrono::milliseconds time);
  // For rank 0. Whether a launched process no longer beats.
  bool lost_one();
  void put(const std::string& key, const std::string& value);
  std::string take(const std::string& key);

  LaunchedPlace place_;
  std::chrono::milliseconds start_timeout_;
  c10::intrusive_ptr<c10d::Store> store_;
  std::unique_ptr<Heartbeat> heart_;  // of a rank but 0
  Heartbeats others_;                 // as rank 0 sees them
  Steward steward_;
  int orders_ = 0, sets_ = 0;
  std::string broken_;  // which launched process is lost; empty: none
};

}  // namespace attncheck::gloo_cpu

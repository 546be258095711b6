#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/around_wait.h"
#include "sim/gate.h"
#include "sim/schedule.h"

namespace attncheck::sim {

// Something that a rank waits for. Ranks are numbers of the world.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual bool ready(int rank) const = 0;
  // "allgather #3 of group [0,1] (not posted by 1)"
  virtual std::string describe(int rank) const = 0;
  // Whether `rank` cannot go on before `peer` has posted its part.
  virtual bool waits_for(int rank, int peer) const = 0;
};

// Lets one rank run at a time. Whoever holds the baton owns all state of the simulated world;
// handing it on orders memory, so there are no locks. Every method is called by the holder unless
// it says otherwise. Errors are c10::DistBackendError, thrown from `wait` and `yield`:
//   "deadlock: rank 0 waits for ...; rank 1 waits for ..."   no rank of the world can run
//   "... rank 2 ended"                                       a rank it waits for has returned or
//   thrown
class Baton {
 public:
  explicit Baton(int size);

  int size() const { return static_cast<int>(slots_.size()); }
  // What to do when a deadlock is found, before any rank hears of it.
  void on_deadlock(std::function<void()> hook) { on_deadlock_ = std::move(hook); }

  // Coordinator: where to write whose turn it is (RunOptions::turn); nullptr: nowhere.
  void show_turns(std::atomic<int>* turn) { turn_ = turn; }
  // Coordinator: RunOptions::around_wait.
  void wait_in(const AroundWait* around) { around_wait_ = around; }
  // Coordinator, with no rank running: runs all ranks, returns when every rank has called `finish`.
  void run_all(Schedule& schedule);
  // Coordinator: lets the rank threads leave. `await_turn` returns false from then on.
  void stop();

  // Rank thread, not holding the baton: waits until it is this rank's turn. False means stop.
  bool await_turn(int rank);
  // The rank is done for this run, with what it threw, or with nothing. Gives the baton away.
  void finish(int rank, const std::optional<std::string>& error);

  // Gives the baton away until `what` is ready.
  void wait(int rank, const Pending& what);
  // Lets the others run once: for a caller that polls. `what` is what it polls for.
  void yield(int rank, const Pending& what);
  // Makes `rank` able to run if it waits for `what` and that is ready.
  void wake(int rank, const Pending& what);
  // After a post: the schedule may let another rank go first; this one stays able to run.
  void offer(int rank) {
    if (preempts_) hand_over(rank);
  }
  // Something was posted, so polling is not in vain.
  void progress() { idle_polls_ = 0; }

  // Whether the rank has ended by an exception.
  bool threw(int rank) const { return slots_[rank].threw; }
  // Whether the rank was told, in this run, that it waits in vain.
  bool waited_in_vain(int rank) const { return slots_[rank].waited_in_vain; }
  // Whether one has that was not told that it waits in vain: what peers lack is then a consequence.
  bool failed_on_its_own() const;

 private:
  enum class State { kEnded, kReady, kBlocked };
  struct Slot {
    Gate gate;
    State state = State::kEnded;
    const Pending* pending = nullptr;
    std::shared_ptr<const std::string> failure;
    bool threw = false;
    bool waited_in_vain = false;
  };

  void make_ready(int rank);
  void block(int rank, const Pending& what);
  void hand_over(int rank);
  void pass(Gate& gate);
  int choose();
  void show(int rank);
  [[noreturn]] void give_up(int rank, const std::string& why);
  void fail(int rank, std::shared_ptr<const std::string> why);
  void declare_deadlock();
  std::string deadlock_report() const;
  std::string ended_report(int rank, int peer, const Pending& what) const;
  void refuse_ended_peers(int rank, const Pending& what);

  std::vector<Slot> slots_;
  ReadySet ready_;
  Gate coordinator_;
  Schedule* schedule_ = nullptr;
  bool preempts_ = false;
  int last_ = 0;
  int ended_ = 0;
  int idle_polls_ = 0;
  bool stopping_ = false;
  std::string first_failure_;
  std::function<void()> on_deadlock_ = [] {};
  std::atomic<int>* turn_ = nullptr;
  const AroundWait* around_wait_ = nullptr;
};

}  // namespace attncheck::sim

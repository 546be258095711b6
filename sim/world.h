#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <c10/util/intrusive_ptr.h>

#include "sim/around_wait.h"
#include "sim/schedule.h"
#include "sim/trace.h"

namespace c10d {
class ProcessGroup;
}

namespace attncheck::sim {

class Crew;

// What the work of one rank sees of its world. Lives as long as the world.
class RankContext {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The process group of `members` (ranks of the world, in the group's order: any subset that holds
  // this rank, each once). No communication: members need not ask at the same time. The same list
  // and name give the same group for the life of the world; two names over one list are two groups
  // that do not disturb each other. process_group.h says what the group can do.
  // Throws c10::Error for an empty list, a rank outside the world, a doubled one, or a non-member.
  virtual c10::intrusive_ptr<c10d::ProcessGroup> group(const std::vector<int>& members,
                                                       const std::string& name = "") = 0;

 protected:
  ~RankContext() = default;
};

struct Options {
  // The core of all ranks, and of the caller while it runs them; -1: where the caller is when it
  // makes the world. Two worlds that run at the same time want two cores.
  int core = -1;
};

// How one run is made.
struct RunOptions {
  // Sends of up to this many bytes end without their receive, as with a transport that buffers;
  // larger ones wait for it. 0: every send is a rendezvous.
  int64_t send_buffer = 0;
  // Looks for reads and writes of tensors that are in flight (FindingKind::read_early,
  // written_early), at a cost for every operator that a rank calls. The other findings are always
  // looked for.
  bool watch = false;
  // Where to write who runs now: one more than the rank, 0 while none does. For somebody outside
  // who may have to say which rank this process ended with.
  std::atomic<int>* turn = nullptr;
  // In what a rank waits for its turn, unless nullptr: ranks that may hold a lock which the others
  // need, as an interpreter has one, give it away here.
  const AroundWait* around_wait = nullptr;
};

// A mesh of simulated ranks: threads of this process of which one runs at a time, all on one core.
// The threads start once and serve many runs; each has one intra-op thread.
class World {
 public:
  // `size` ranks, 1 or more.
  explicit World(int size, Options options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int size() const;
  // A thread that makes many runs should pin itself here (CorePin of affinity.h): otherwise every
  // run moves it and lets it go again, which takes milliseconds on a busy machine.
  int core() const;

  // Who runs next, from the next run on. Round robin by default; schedule_text.h makes others.
  void set_schedule(std::unique_ptr<Schedule> schedule);

  // Calls `work` once on every rank and returns when each has returned or thrown: by rank, nothing
  // or what it threw (the text of a std::exception, for c10::Error without its backtrace). A rank
  // that waits in vain throws; see baton.h for the texts. Nothing of a run reaches the next one.
  // One run at a time. Throws c10::Error if called from a rank.
  std::vector<std::optional<std::string>> run(const std::function<void(RankContext&)>& work,
                                              const RunOptions& options = {});
  // What the mesh saw in the last run, by rank; empty traces before the first.
  const std::vector<RankTrace>& trace() const;
  // Whether the rank waited in the last run for what could never come: what it then threw, or
  // caught, is no fault of its own.
  bool waited_in_vain(int rank) const;

 private:
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace attncheck::sim

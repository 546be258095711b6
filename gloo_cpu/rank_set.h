#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <c10/util/Exception.h>
#include <sys/types.h>

#include "gloo_cpu/unique_fd.h"

// The parent's side: a mesh of processes on this machine, kept alive for all cases of a run. It
// moves bytes and watches for silence and death; what the bytes mean is its user's business.

namespace attncheck::gloo_cpu {

// What is exec'ed for each rank, argv[0] looked up in PATH. It must reach serve_rank(), which finds
// its place in the environment (rank_place.h). A script in between must `exec`, or a signal number
// and the time of death are the script's.
struct RankCommand {
  std::vector<std::string> argv;
};

struct RankReply {
  enum class Outcome {
    answered,   // `bytes` is the answer
    exited,     // ended by itself; `code` is the exit status, 127 if it could not be exec'ed
    signalled,  // ended by a signal; `code` is its number, e.g. SIGABRT from inside Gloo
    silent,     // alive, and gave no answer before the time was up (or closed its socket); a
                // process that is stopped (SIGSTOP) always counts as silent
    outgrown,   // ended from here, since the ranks held more memory than they may, and it the most
    cut_short,  // alive without an answer when the wait ended early, since another rank had ended
  };

  Outcome outcome = Outcome::silent;
  int code = 0;
  std::string bytes;     // the answer
  std::string log_tail;  // unless answered: the end of what the rank printed during this request
  // Of a silent one: how long it had, and what its process was doing. Of one that outgrew its
  // memory: how much it held.
  std::string detail;
  bool stopped = false;                // of a silent one: its process was stopped
  std::chrono::microseconds after{0};  // from the request to this outcome: who was first?
};

// One line without the bytes and the log: "was ended by signal 6 (Aborted) after 400 ms".
std::string fate(const RankReply& reply);
// The same of "rank 2".
std::string describe(const RankReply& reply, int rank);

// Which ranks of the world a set keeps: those from `first` on. The others are other sets', which
// meet them at the store and start at the same time.
struct Part {
  int first = 0;
  int count = 0;                         // 0: the whole world
  std::string store;                     // empty: a file of the set's own; else as stores.h says
  int local_first = 0, local_world = 0;  // on this machine: the first one's number, and how many
  // Whether a rank of another set cannot go on. Asked ten times a second.
  std::function<bool()> others_ended = [] { return false; };
};

struct RankSetOptions {
  RankCommand command;
  int world = 1;  // ranks, at least 1
  // For each request. Collectives give up after half of it, so that an exchange that cannot end is
  // reported by the ranks themselves, as an answer.
  std::chrono::milliseconds timeout{30'000};
  // Until all ranks are ready: four load LibTorch in 0.5 s on two idle cores, in 5 s on busy ones,
  // and in 25 s where its pages were lost to others.
  std::chrono::milliseconds start_timeout{60'000};
  // What the others still have once a rank ended, or distrusts its groups. The neighbours of a rank
  // that died see it in 0.3 s, as an error; those further off would wait for half of `timeout`.
  std::chrono::milliseconds peer_grace{2'000};
  // Where <log_prefix>rank<N>.log goes: stdout and stderr, appended. Empty: kept in memory for
  // log_tail alone. Sets that are used by several threads need prefixes of their own.
  std::string log_dir;
  std::string log_prefix;
  // How the ranks talk and where their tensors are, as rank_place.h says.
  std::string transport = "gloo";
  std::string device = "cpu";
  std::string network = "127.0.0.1";
  // Bytes that the ranks on this machine may hold together (process_memory.h), their logs in memory
  // among them. Looked at ten times a second; 0: no bound.
  int64_t memory = 0;
  int shared_word = -1;  // the descriptor of a SharedWord that each rank is given
  // How often ranks that all answered, and of which some distrust their groups, make these anew
  // instead of being ended: for ranks that take long to start.
  int most_renewals = 0;
  Part part;
};

// The ranks of a new set did not start: one ended or was silent. What became of each is in
// `replies`, where `answered` and `cut_short` are those that are not at fault.
class StartError : public c10::Error {
 public:
  StartError(const std::string& message, std::vector<RankReply> replies);
  const std::vector<RankReply>& replies() const { return replies_; }

 private:
  std::vector<RankReply> replies_;
};

class RankProcess;

// What runs a request on every rank of a world, wherever the ranks are.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual std::vector<RankReply> run(const std::string& request) = 0;
  virtual bool usable() const = 0;
  // Whether groups were made anew since the ranks started; and whether they neither were nor will
  // be before the next request.
  virtual bool renewed() const { return false; }
  virtual bool fresh() const { return true; }
  virtual std::chrono::milliseconds timeout() const = 0;
};

// One thread at a time may use a set. Several sets may live side by side.
class RankSet : public Ranks {
 public:
  // Starts all ranks and waits until each is ready. Throws StartError if one ends or is not ready
  // in time: the message names the rank, what became of it, and the end of its output.
  explicit RankSet(RankSetOptions options);
  // Ends every rank: closes its socket, waits for a short grace, kills what is left, reaps.
  ~RankSet() override;
  RankSet(const RankSet&) = delete;
  RankSet& operator=(const RankSet&) = delete;

  // Gives the same request to every rank. Returns one reply per rank of its part, in order, when
  // every rank has answered or ended, when the time is up, or `peer_grace` after the first rank
  // ended without an answer or distrusted its groups. If any reply is not `answered`, all ranks are
  // killed before this returns.
  // Throws if the set is not usable.
  std::vector<RankReply> run(const std::string& request) override;

  // False after a reply that is not `answered`, after an answer whose rank distrusts its groups
  // (GroupFactory::distrust) unless they may be made anew, and once the ranks hold more memory than
  // they may although they answered. The owner then makes a new set.
  bool usable() const override { return usable_; }
  bool renewed() const override { return renewals_ > 0; }
  bool fresh() const override { return renewals_ == 0 && !distrusted_; }
  int world() const { return options_.world; }
  std::chrono::milliseconds timeout() const override { return options_.timeout; }
  std::vector<pid_t> pids() const;

 private:
  void start();
  void await_ready();
  bool outgrown();
  void end();

  RankSetOptions options_;
  UniqueFd store_;  // a file in memory, so that nothing is left on disk however this process ends
  // Starts the ranks and then sleeps until the set ends: the system kills a child when the *thread*
  // that forked it ends, and the caller's may end before the set does.
  std::jthread keeper_;
  std::vector<std::unique_ptr<RankProcess>> ranks_;
  bool usable_ = true;
  bool distrusted_ = false;  // by the answers to the last request
  int renewals_ = 0;
  std::chrono::steady_clock::time_point memory_looked_at_;
};

}  // namespace attncheck::gloo_cpu

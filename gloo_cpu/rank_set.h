#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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
    silent,     // alive, and gave no answer before the time was up (or closed its socket)
    cut_short,  // alive without an answer when the wait ended early, since another rank had ended
  };

  Outcome outcome = Outcome::silent;
  int code = 0;
  std::string bytes;     // the answer
  std::string log_tail;  // unless answered: the end of what the rank printed during this request
  std::chrono::microseconds after{0};  // from the request to this outcome: who was first?
};

// One line without the bytes and the log: "rank 2 was ended by signal 6 (Aborted) after 400 ms".
std::string describe(const RankReply& reply, int rank);

struct RankSetOptions {
  RankCommand command;
  int world = 1;  // ranks, at least 1
  // For each request. Collectives give up after half of it, so that an exchange that cannot end is
  // reported by the ranks themselves, as an answer.
  std::chrono::milliseconds timeout{30'000};
  // Until all ranks are ready: four load LibTorch in 0.5 s on two idle cores, in 5 s on busy ones.
  std::chrono::milliseconds start_timeout{60'000};
  // Where rank<N>.log goes: stdout and stderr, appended. Empty: kept in memory for log_tail alone.
  std::string log_dir;
};

class RankProcess;

// One thread at a time may use a set. Several sets may live side by side.
class RankSet {
 public:
  // Starts all ranks and waits until each is ready. Throws if one ends or is not ready in time: the
  // message names the rank, what became of it, and the end of its output.
  explicit RankSet(RankSetOptions options);
  // Ends every rank: closes its socket, waits for a short grace, kills what is left, reaps.
  ~RankSet();
  RankSet(const RankSet&) = delete;
  RankSet& operator=(const RankSet&) = delete;

  // Gives the same request to every rank. Returns one reply per rank, in order of rank, when every
  // rank has answered or ended, when the time is up, or 2 s after the first rank ended without an
  // answer. If any reply is not `answered`, all ranks are killed before this returns.
  // Throws if the set is not usable.
  std::vector<RankReply> run(const std::string& request);

  // False after a reply that is not `answered`, and after an answer whose rank distrusts its groups
  // (GroupFactory::distrust). The owner then makes a new set.
  bool usable() const { return usable_; }
  int world() const { return options_.world; }
  std::vector<pid_t> pids() const;

 private:
  void start();
  void await_ready();
  void end();

  RankSetOptions options_;
  UniqueFd store_;  // a file in memory, so that nothing is left on disk however this process ends
  // Starts the ranks and then sleeps until the set ends: the system kills a child when the *thread*
  // that forked it ends, and the caller's may end before the set does.
  std::jthread keeper_;
  std::vector<std::unique_ptr<RankProcess>> ranks_;
  bool usable_ = true;
};

}  // namespace attncheck::gloo_cpu

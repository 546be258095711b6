#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gloo_cpu/frame.h"
#include "gloo_cpu/rank_process.h"
#include "gloo_cpu/rank_set.h"

namespace attncheck::gloo_cpu {

struct ExchangeLimits {
  std::chrono::milliseconds timeout;     // of the whole wait
  std::chrono::milliseconds collective;  // when the ranks' own collectives give up
  std::chrono::milliseconds peer_grace;  // for the others, once a rank cannot go on
  int64_t memory = 0;                    // bytes that all may hold together; 0: no bound
};

// The wait for one frame of every rank, bounded in time. Time in which this process itself was
// stopped (Ctrl-Z) does not count.
class Exchange {
 public:
  // `others_ended`: whether a rank that is not among these cannot go on.
  Exchange(std::vector<std::unique_ptr<RankProcess>>& ranks, ExchangeLimits limits,
           std::function<bool()> others_ended);

  // One reply per rank, as RankSet::run says.
  std::vector<RankReply> wait();
  // The kind of the frame that an answered rank sent.
  FrameHeader::Kind kind(int rank) const { return kinds_[static_cast<std::size_t>(rank)]; }

 private:
  using Clock = std::chrono::steady_clock;

  bool settled() const;
  void poll_once();
  bool take_answer(std::size_t rank);
  void note_answers();
  void note_endings();
  void look_around();
  void note_memory();
  void note_doubt();
  void hurry();  // a rank cannot go on: the rest have a short time left
  void give_up();
  void settle(std::size_t rank, RankReply::Outcome outcome, int code = 0);

  std::vector<std::unique_ptr<RankProcess>>& ranks_;
  ExchangeLimits limits_;
  std::function<bool()> others_ended_;
  Clock::time_point start_;
  Clock::time_point deadline_;
  Clock::time_point looked_around_;
  Clock::duration away_{0};  // in which this process did not run: the deadline is that much later
  bool one_ended_ = false;
  std::vector<std::optional<RankReply>> replies_;
  std::vector<FrameHeader::Kind> kinds_;
};

}  // namespace attncheck::gloo_cpu

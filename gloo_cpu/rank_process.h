#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gloo_cpu/child_process.h"
#include "gloo_cpu/frame.h"
#include "gloo_cpu/rank_log.h"
#include "gloo_cpu/unique_fd.h"

namespace attncheck::gloo_cpu {

struct RankSetOptions;

// One rank as the parent sees it: the process, its log, and a socket that never blocks.
class RankProcess {
 public:
  // Starts the process of that place in the set's part. `store`: the descriptor of the set's store
  // file, where it has one of its own.
  RankProcess(const RankSetOptions& options, int place_in_part, int store);

  // Starts to send; `request` must stay until a frame came or this rank was given up.
  void post(std::string_view request, FrameHeader::Kind kind = FrameHeader::Kind::request);
  // What to poll() for: POLLIN, POLLOUT while there is something left to send, 0 once closed.
  short events() const;
  int socket() const { return socket_.get(); }
  // Moves bytes, both ways, as far as they go without blocking.
  void advance();
  // The frame that came, once it is complete; the next one is then awaited.
  std::optional<IncomingFrame> take_frame();
  // The rank's end of the socket is closed: it ended, or will never answer.
  bool closed() const { return closed_; }
  void hang_up() { socket_.reset(); }

  ChildProcess& process() { return *process_; }
  std::string log_tail() const;
  // Bytes that it holds, with its log where that is in memory; 0 once it ended.
  int64_t memory() const;

 private:
  UniqueFd socket_;
  RankLog log_;
  std::optional<ChildProcess> process_;
  std::optional<OutgoingFrame> outgoing_;
  IncomingFrame incoming_;
  bool complete_ = false;
  bool closed_ = false;
};

}  // namespace attncheck::gloo_cpu

#include "gloo_cpu/rank_process.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include "gloo_cpu/process_memory.h"
#include "gloo_cpu/rank_place.h"
#include "gloo_cpu/rank_set.h"

namespace attncheck::gloo_cpu {
namespace {

constexpr std::size_t kLogTail = 2000;  // bytes: enough for an exception's text and its origin

// A pair of connected sockets, of which the first does not block.
std::pair<UniqueFd, UniqueFd> connected_pair() {
  int ends[2] = {-1, -1};
  const bool made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  TORCH_CHECK(made, "no socket for a rank: ", std::strerror(errno));
  std::pair<UniqueFd, UniqueFd> pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  TORCH_CHECK(::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0, "fcntl: ", std::strerror(errno));
  return pair;
}

}  // namespace

RankProcess::RankProcess(const RankSetOptions& options, int place_in_part, int store)
    : log_(options.log_dir, options.log_prefix, options.part.first + place_in_part) {
  auto [ours, theirs] = connected_pair();
  socket_ = std::move(ours);
  RankPlace place;
  place.rank = options.part.first + place_in_part;
  place.world = options.world;
  place.socket = theirs.get();
  place.store = store < 0 ? options.part.store : "/proc/self/fd/" + std::to_string(store);
  place.transport = options.transport;
  place.device = options.device;
  place.network = options.network;
  place.local_rank = options.part.local_first + place_in_part;
  place.local_world = options.part.local_world;
  place.group_timeout = options.timeout / 2;
  place.shared_word = options.shared_word;
  std::vector<int> kept{theirs.get()};
  if (store >= 0) kept.push_back(store);
  if (options.shared_word >= 0) kept.push_back(options.shared_word);
  process_.emplace(ChildCommand{options.command.argv, environment_of(place), log_.fd(), kept});
}

void RankProcess::post(std::string_view request, FrameHeader::Kind kind) {
  log_.mark();
  outgoing_.emplace(kind, request);
}

short RankProcess::events() const {
  if (closed_) return 0;
  return static_cast<short>(outgoing_ ? POLLIN | POLLOUT : POLLIN);
}

void RankProcess::advance() {
  if (outgoing_ && outgoing_->push(socket_.get()) != Progress::more) outgoing_.reset();
  const Progress progress = incoming_.pull(socket_.get());
  complete_ = progress == Progress::complete;
  closed_ = progress == Progress::closed;
}

std::optional<IncomingFrame> RankProcess::take_frame() {
  if (!std::exchange(complete_, false)) return std::nullopt;
  return std::exchange(incoming_, IncomingFrame());
}

int64_t RankProcess::memory() const {
  return memory_of(process_->pid()) + log_.bytes_in_memory();
}

std::string RankProcess::log_tail() const {
  return log_.tail(kLogTail);
}

}  // namespace attncheck::gloo_cpu

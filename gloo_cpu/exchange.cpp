#include "gloo_cpu/exchange.h"

#include <algorithm>
#include <utility>

#include <poll.h>

namespace attncheck::gloo_cpu {
namespace {

using Outcome = RankReply::Outcome;

// The neighbours of a rank that died see it in 0.3 s, as an error that they then report themselves;
// those further off would wait for the group timeout.
constexpr std::chrono::milliseconds kPeerGrace{2000};
// How often to ask the system which ranks ended, where no closing socket tells (a rank's own child
// may hold it open), and how soon after one closed.
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::milliseconds kLookSoon{2};

}  // namespace

Exchange::Exchange(std::vector<std::unique_ptr<RankProcess>>& ranks,
                   std::chrono::milliseconds timeout)
    : ranks_(ranks),
      start_(Clock::now()),
      deadline_(start_ + timeout),
      replies_(ranks.size()),
      kinds_(ranks.size(), FrameHeader::Kind::answer) {}

std::vector<RankReply> Exchange::wait() {
  while (!settled() && Clock::now() < deadline_) poll_once();
  give_up();
  std::vector<RankReply> replies;
  for (auto& reply : replies_) replies.push_back(std::move(*reply));
  return replies;
}

bool Exchange::settled() const {
  return std::all_of(replies_.begin(), replies_.end(), [](const auto& r) { return r.has_value(); });
}

void Exchange::poll_once() {
  std::vector<pollfd> watched;
  bool hung_up = false;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const bool waiting = !replies_[rank] && !ranks_[rank]->closed();
    hung_up = hung_up || (!replies_[rank] && ranks_[rank]->closed());
    watched.push_back({waiting ? ranks_[rank]->socket() : -1, ranks_[rank]->events(), 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
  const auto slice = std::clamp(left, std::chrono::milliseconds(0), hung_up ? kLookSoon : kLook);
  const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(slice.count()));
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (watched[rank].revents != 0) ranks_[rank]->advance();
  }
  note_answers();
  if (ready <= 0 || hung_up) note_endings();
}

bool Exchange::take_answer(std::size_t rank) {
  auto frame = ranks_[rank]->take_frame();
  if (!frame) return false;
  settle(rank, Outcome::answered);
  replies_[rank]->bytes = std::move(frame->payload());
  kinds_[rank] = frame->kind();
  return true;
}

void Exchange::note_answers() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!replies_[rank] && !take_answer(rank) && ranks_[rank]->closed()) hurry();
  }
}

void Exchange::note_endings() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (replies_[rank] || !ranks_[rank]->process().ending()) continue;
    if (!ranks_[rank]->closed()) ranks_[rank]->advance();  // it may have answered and then ended
    if (take_answer(rank)) continue;
    hurry();
    const Ending& ending = *ranks_[rank]->process().ending();
    settle(rank, ending.by_signal ? Outcome::signalled : Outcome::exited, ending.code);
  }
}

void Exchange::hurry() {
  if (std::exchange(one_ended_, true)) return;
  deadline_ = std::min(deadline_, Clock::now() + kPeerGrace);
}

void Exchange::give_up() {
  note_endings();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (replies_[rank]) continue;
    const bool cut_short = one_ended_ && !ranks_[rank]->closed();
    settle(rank, cut_short ? Outcome::cut_short : Outcome::silent);
  }
}

void Exchange::settle(std::size_t rank, Outcome outcome, int code) {
  RankReply reply;
  reply.outcome = outcome;
  reply.code = code;
  if (outcome != Outcome::answered) reply.log_tail = ranks_[rank]->log_tail();
  reply.after = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
  replies_[rank] = std::move(reply);
}

}  // namespace attncheck::gloo_cpu

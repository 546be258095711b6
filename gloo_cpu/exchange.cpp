#include "gloo_cpu/exchange.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <c10/util/StringUtil.h>
#include <poll.h>

namespace attncheck::gloo_cpu {
namespace {

using Outcome = RankReply::Outcome;

// How often to ask the system which ranks ended, where no closing socket tells (a rank's own child
// may hold it open), and how soon after one closed.
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::milliseconds kLookSoon{2};
// A poll that returns so much too late: this process did not run meanwhile.
constexpr std::chrono::milliseconds kAway{1000};

std::string in_gigabytes(int64_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f GiB", std::ldexp(static_cast<double>(bytes), -30));
  return text.data();
}

}  // namespace

Exchange::Exchange(std::vector<std::unique_ptr<RankProcess>>& ranks, ExchangeLimits limits,
                   std::function<bool()> others_ended)
    : ranks_(ranks),
      limits_(limits),
      others_ended_(std::move(others_ended)),
      start_(Clock::now()),
      deadline_(start_ + limits.timeout),
      looked_around_(start_),
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
  const auto latest = Clock::now() + slice;
  const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(slice.count()));
  if (const auto late = Clock::now() - latest; late > kAway) {
    deadline_ += late;
    away_ += late;
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (watched[rank].revents != 0) ranks_[rank]->advance();
  }
  note_answers();
  if (ready <= 0 || hung_up) note_endings();
  look_around();
}

// What no socket tells.
void Exchange::look_around() {
  if (Clock::now() - looked_around_ < kLook) return;
  looked_around_ = Clock::now();
  note_memory();
  if (!one_ended_ && others_ended_()) hurry();
}

// The rank that holds the most is the one to end; the others are looked at again.
void Exchange::note_memory() {
  if (limits_.memory == 0) return;
  int64_t all = 0, most = 0;
  std::size_t largest = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const int64_t held = ranks_[rank]->memory();
    all += held;
    if (replies_[rank] || held <= most) continue;
    most = held;
    largest = rank;
  }
  if (all <= limits_.memory || most == 0) return;
  settle(largest, Outcome::outgrown);
  replies_[largest]->detail = c10::str("it held ", in_gigabytes(most), ", all ranks ",
                                       in_gigabytes(all), " of ", in_gigabytes(limits_.memory));
  ranks_[largest]->process().kill();
  hurry();
}

bool Exchange::take_answer(std::size_t rank) {
  auto frame = ranks_[rank]->take_frame();
  if (!frame) return false;
  settle(rank, Outcome::answered);
  replies_[rank]->bytes = std::move(frame->payload());
  kinds_[rank] = frame->kind();
  if (frame->kind() == FrameHeader::Kind::doubtful) note_doubt();
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

// A rank left an exchange in the middle, and those that wait for it would wait until their
// collectives give up. If that time is up already, it is not the rank at fault: some other one is
// silent.
void Exchange::note_doubt() {
  if (Clock::now() - start_ < limits_.collective) return hurry();
  deadline_ = std::min(deadline_, Clock::now() + limits_.peer_grace);
}

void Exchange::hurry() {
  if (std::exchange(one_ended_, true)) return;
  deadline_ = std::min(deadline_, Clock::now() + limits_.peer_grace);
}

void Exchange::give_up() {
  note_endings();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (replies_[rank]) continue;
    const bool at_fault = ranks_[rank]->closed() || ranks_[rank]->process().stopped();
    const bool cut_short = one_ended_ && !at_fault;
    settle(rank, cut_short ? Outcome::cut_short : Outcome::silent);
  }
}

void Exchange::settle(std::size_t rank, Outcome outcome, int code) {
  RankReply reply;
  reply.outcome = outcome;
  reply.code = code;
  if (outcome != Outcome::answered) reply.log_tail = ranks_[rank]->log_tail();
  if (outcome == Outcome::silent) {
    reply.stopped = ranks_[rank]->process().stopped();
    reply.detail = c10::str("it has ", limits_.timeout.count(), " ms");
    if (limits_.collective < limits_.timeout) {
      reply.detail += c10::str(", a collective ", limits_.collective.count(), " ms");
    }
    if (away_ > away_.zero()) {
      const auto away = std::chrono::duration_cast<std::chrono::milliseconds>(away_);
      reply.detail += c10::str(", and ", away.count(), " ms in which the program itself was held");
    }
    reply.detail += "; its process is " + ranks_[rank]->process().activity();
  }
  reply.after = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
  replies_[rank] = std::move(reply);
}

}  // namespace attncheck::gloo_cpu

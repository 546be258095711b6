#include "gloo_cpu/rank_set.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <future>
#include <mutex>
#include <numeric>
#include <utility>

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <sys/mman.h>

#include "gloo_cpu/exchange.h"
#include "gloo_cpu/rank_process.h"

namespace attncheck::gloo_cpu {
namespace {

using Outcome = RankReply::Outcome;

// What a rank that is told to leave may still use, e.g. for its exit handlers.
constexpr std::chrono::milliseconds kLeaveGrace{1000};
constexpr std::chrono::seconds kMemoryLook{1};

void check_options(const RankSetOptions& options) {
  TORCH_CHECK(options.world >= 1, "a set needs at least 1 rank, got ", options.world);
  TORCH_CHECK(!options.command.argv.empty(), "a rank command needs at least 1 word, got none");
  for (const auto timeout : {options.timeout, options.start_timeout}) {
    TORCH_CHECK(timeout.count() > 0, "a timeout must be positive, got ", timeout.count(), " ms");
  }
}

UniqueFd make_store() {
  UniqueFd fd(::memfd_create("attncheck-gloo-store", MFD_CLOEXEC));
  TORCH_CHECK(fd.open(), "no file for the ranks' store: ", std::strerror(errno));
  return fd;
}

bool all_answered(const std::vector<RankReply>& replies) {
  return std::all_of(replies.begin(), replies.end(),
                     [](const RankReply& r) { return r.outcome == Outcome::answered; });
}

void sleep_until(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
}

std::string what_became_of(const RankReply& reply) {
  switch (reply.outcome) {
    case Outcome::answered:
      return "answered";
    case Outcome::exited:
      return c10::str("exited with status ", reply.code);
    case Outcome::signalled:
      return c10::str("was ended by signal ", reply.code, " (", ::strsignal(reply.code), ")");
    case Outcome::silent:
      return "gave no answer";
    case Outcome::outgrown:
      return "was ended here, since it held too much memory,";
    case Outcome::cut_short:
      return "was given up, since another rank could not go on,";
  }
  return {};
}

}  // namespace

std::string fate(const RankReply& reply) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(reply.after).count();
  const std::string detail = reply.detail.empty() ? "" : " (" + reply.detail + ")";
  return c10::str(what_became_of(reply), " after ", ms, " ms", detail);
}

std::string describe(const RankReply& reply, int rank) {
  return c10::str("rank ", rank, " ", fate(reply));
}

StartError::StartError(const std::string& message, std::vector<RankReply> replies)
    : c10::Error({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, message),
      replies_(std::move(replies)) {}

RankSet::RankSet(RankSetOptions options) : options_(std::move(options)) {
  check_options(options_);
  if (options_.part.count == 0) options_.part.count = options_.world;
  if (options_.part.local_world == 0) options_.part.local_world = options_.part.count;
  if (options_.part.store.empty()) store_ = make_store();
  start();
  await_ready();
}

void RankSet::start() {
  std::packaged_task<void()> start_all([this] {
    for (int place = 0; place < options_.part.count; ++place) {
      ranks_.push_back(std::make_unique<RankProcess>(options_, place, store_.get()));
    }
  });
  auto started = start_all.get_future();
  keeper_ = std::jthread([task = std::move(start_all)](std::stop_token stop) mutable {
    task();
    sleep_until(stop);
  });
  started.get();
}

void RankSet::await_ready() {
  const auto limit = options_.start_timeout;
  Exchange exchange(ranks_, {limit, limit, options_.peer_grace, options_.memory},
                    options_.part.others_ended);
  const std::vector<RankReply> replies = exchange.wait();
  for (int place = 0; place < options_.part.count; ++place) {
    const RankReply& reply = replies[static_cast<std::size_t>(place)];
    const bool ready =
        reply.outcome == Outcome::answered && exchange.kind(place) == FrameHeader::Kind::ready;
    if (ready || reply.outcome == Outcome::cut_short) continue;
    const int rank = options_.part.first + place;
    throw StartError(
        c10::str("the ranks of '", options_.command.argv.front(),
                 "' did not start: ", describe(reply, rank), " without a word that it is ready",
                 reply.log_tail.empty() ? "" : "; its output ends with\n" + reply.log_tail),
        replies);
  }
}

std::vector<RankReply> RankSet::run(const std::string& request) {
  TORCH_CHECK(usable_, "this set of ", world(), " ranks is no longer usable: make a new one");
  usable_ = false;
  const bool anew = std::exchange(distrusted_, false);
  if (anew) ++renewals_;
  const auto kind = anew ? FrameHeader::Kind::anew : FrameHeader::Kind::request;
  for (auto& rank : ranks_) rank->post(request, kind);
  const auto collective = options_.world > 1 ? options_.timeout / 2 : options_.timeout;
  Exchange exchange(ranks_, {options_.timeout, collective, options_.peer_grace, options_.memory},
                    options_.part.others_ended);
  std::vector<RankReply> replies = exchange.wait();
  if (!all_answered(replies)) {
    for (auto& rank : ranks_) rank->process().kill();
    return replies;
  }
  usable_ = !outgrown();
  for (int place = 0; place < options_.part.count; ++place) {
    distrusted_ = distrusted_ || exchange.kind(place) != FrameHeader::Kind::answer;
  }
  usable_ = usable_ && (!distrusted_ || renewals_ < options_.most_renewals);
  return replies;
}

// Once a second is enough for what grows from request to request.
bool RankSet::outgrown() {
  const auto now = std::chrono::steady_clock::now();
  if (options_.memory == 0 || now - memory_looked_at_ < kMemoryLook) return false;
  memory_looked_at_ = now;
  return std::accumulate(ranks_.begin(), ranks_.end(), int64_t{0}, [](int64_t sum, auto& rank) {
           return sum + rank->memory();
         }) > options_.memory;
}

std::vector<pid_t> RankSet::pids() const {
  std::vector<pid_t> pids;
  for (const auto& rank : ranks_) pids.push_back(rank->process().pid());
  return pids;
}

RankSet::~RankSet() {
  end();
}

void RankSet::end() {
  for (auto& rank : ranks_) rank->hang_up();
  const auto running = [](const auto& rank) { return !rank->process().ending(); };
  const auto give_up = std::chrono::steady_clock::now() + kLeaveGrace;
  while (usable_ && std::any_of(ranks_.begin(), ranks_.end(), running) &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& rank : ranks_) rank->process().kill();
  ranks_.clear();
}

}  // namespace attncheck::gloo_cpu

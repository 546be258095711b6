#include "gloo_cpu/launched_world.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <unistd.h>

#include "gloo_cpu/launched_set.h"
#include "gloo_cpu/stores.h"

namespace attncheck::gloo_cpu {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kShortNap{1}, kNap{10};  // between two looks for a key; after kSoon longer
constexpr milliseconds kSoon{200};
constexpr milliseconds kPatience{500};      // for a reply, before the look at who still beats
constexpr milliseconds kLookAround{1'000};  // between orders: is the launcher still there?
constexpr milliseconds kFarewell{5'000};    // for all to say that they go
constexpr milliseconds kLinger{300};        // the coordinator ends before the others

milliseconds left_until(Clock::time_point deadline) {
  return std::max(milliseconds(1), std::chrono::ceil<milliseconds>(deadline - Clock::now()));
}

std::string key_of(const char* what, int number) {
  return std::string(what) + "/" + std::to_string(number);
}

c10::intrusive_ptr<c10d::Store> common_store(const LaunchedPlace& place, milliseconds timeout) {
  const bool keeps = place.rank == 0 && !place.store_is_kept;
  auto store = keeps ? keep_store(place.host, place.port, timeout)
                     : open_store(store_address(place.host, place.port, ""), timeout);
  store->setTimeout(timeout);
  return c10::make_intrusive<c10d::PrefixStore>("attncheck/orders", store);
}

}  // namespace

LaunchedWorld::LaunchedWorld(LaunchedPlace place, RankSetOptions ranks)
    : place_(place),
      start_timeout_(ranks.start_timeout),
      store_(common_store(place, start_timeout_)),
      heart_(place.rank == 0 ? nullptr : std::make_unique<Heartbeat>(store_, place.rank)),
      others_(store_, place.world),
      steward_(std::move(place), std::move(ranks)) {
  meet();
}

LaunchedWorld::~LaunchedWorld() = default;

void LaunchedWorld::meet() {
  put(key_of("here", place_.rank), "1");
  if (place_.rank > 0) return;
  const auto deadline = Clock::now() + start_timeout_;
  for (int rank = 1; rank < place_.world; ++rank) {
    TORCH_CHECK(wait_for(key_of("here", rank), left_until(deadline)), "the process that ",
                place_.launcher, " started as rank ", rank, " of ", place_.world,
                " did not come to ", place_.host, ":", place_.port, " within ",
                start_timeout_.count(), " ms");
  }
}

// By asking again and again: c10d's own wait tells stderr of each one that ended without a key.
bool LaunchedWorld::wait_for(const std::string& key, milliseconds time) {
  const auto start = Clock::now();
  while (!store_->check({key})) {
    const auto waited = Clock::now() - start;
    if (waited > time) return false;
    std::this_thread::sleep_for(waited < kSoon ? kShortNap : kNap);
  }
  return true;
}

void LaunchedWorld::put(const std::string& key, const std::string& value) {
  store_->set(key, std::vector<uint8_t>(value.begin(), value.end()));
}

std::string LaunchedWorld::take(const std::string& key) {
  const std::vector<uint8_t> bytes = store_->get(key);
  store_->deleteKey(key);
  return {bytes.begin(), bytes.end()};
}

int LaunchedWorld::post(const std::string& text) {
  put(key_of("order", orders_), text);
  return orders_++;
}

bool LaunchedWorld::lost_one() {
  if (!broken_.empty()) return true;
  const std::optional<int> rank = place_.rank == 0 ? others_.lost() : std::nullopt;
  if (!rank) return false;
  broken_ = c10::str("the process that ", place_.launcher, " started as rank ", *rank,
                     " is lost, and nobody can start it again");
  return true;
}

PartReplies LaunchedWorld::take_part(int number, const Order& order) {
  const std::string ended = key_of("ended", number);
  PartReplies part = steward_.run(order, [&] { return lost_one() || store_->check({ended}); });
  if (!part.started || !part.usable) put(ended, "1");
  return part;
}

PartReplies LaunchedWorld::part_of(int launched, int number, const Order& order,
                                   Clock::time_point deadline) {
  const std::string key = key_of("reply", number) + "/" + std::to_string(launched);
  while (broken_.empty()) {
    if (wait_for(key, kPatience)) return replies_from_bytes(take(key));
    if (lost_one() || Clock::now() > deadline) break;
  }
  PartReplies part;
  part.started = broken_.empty();
  part.usable = false;
  part.replies.resize(static_cast<size_t>(steward_.ranks_at(launched, order.world)));
  for (RankReply& reply : part.replies) {
    reply.detail = c10::str("the process that ", place_.launcher, " started as rank ", launched,
                            broken_.empty() ? " says nothing of it" : " is lost");
  }
  if (broken_.empty()) {
    broken_ = c10::str("the process that ", place_.launcher, " started as rank ", launched,
                       " gives no answer");
  }
  return part;
}

std::string LaunchedWorld::next_order(int number) {
  const std::string key = key_of("order", number);
  const pid_t parent = ::getppid();
  while (!wait_for(key, kLookAround)) {
    TORCH_CHECK(::getppid() == parent, "the launcher of rank ", place_.rank, " is gone");
  }
  const std::vector<uint8_t> bytes = store_->get(key);
  return {bytes.begin(), bytes.end()};
}

int LaunchedWorld::serve() {
  for (int number = 0;; ++number) {
    const Instruction instruction = instruction_in(next_order(number));
    if (instruction.kind == Instruction::Kind::drop) {
      steward_.drop(instruction.order.set);
    } else if (instruction.kind == Instruction::Kind::run) {
      const PartReplies part = take_part(number, instruction.order);
      put(key_of("reply", number) + "/" + std::to_string(place_.rank), to_bytes(part));
    } else {
      heart_.reset();  // the coordinator keeps the store until it hears this, and no longer
      put(key_of("bye", place_.rank), "1");
      std::this_thread::sleep_for(kLinger);  // else a launcher might cut the coordinator short
      return instruction.code;
    }
  }
}

std::unique_ptr<Ranks> LaunchedWorld::ranks(int world, milliseconds timeout,
                                            milliseconds peer_grace) {
  Order order;
  order.set = sets_++;
  order.world = world;
  order.timeout = timeout;
  order.peer_grace = peer_grace;
  return std::make_unique<LaunchedSet>(*this, order);
}

void LaunchedWorld::end(int code) {
  const auto deadline = Clock::now() + kFarewell;
  post(end_text(code));
  for (int rank = 1; rank < place_.world; ++rank) {
    if (!wait_for(key_of("bye", rank), broken_.empty() ? left_until(deadline) : milliseconds(100)))
      return;
  }
}

}  // namespace attncheck::gloo_cpu

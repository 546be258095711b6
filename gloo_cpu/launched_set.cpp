#include "gloo_cpu/launched_set.h"

#include <sstream>
#include <stdexcept>
#include <utility>

#include <c10/util/Exception.h>

namespace attncheck::gloo_cpu {
namespace {

constexpr std::chrono::milliseconds kMargin{
    5'000};  // for a launched process beyond its ranks' time

}  // namespace

std::string run_text(const Order& order) {
  std::ostringstream out;
  out << "run " << order.set << ' ' << order.world << ' ' << order.timeout.count() << ' '
      << order.peer_grace.count() << '\n'
      << order.request;
  return out.str();
}

std::string drop_text(int set) {
  return "drop " + std::to_string(set) + "\n";
}

std::string end_text(int code) {
  return "end " + std::to_string(code) + "\n";
}

Instruction instruction_in(const std::string& text) {
  const size_t line = text.find('\n');
  std::istringstream in(text.substr(0, line));
  std::string word;
  Instruction instruction;
  in >> word;
  if (word == "run") {
    int64_t timeout = 0, grace = 0;
    Order& order = instruction.order;
    in >> order.set >> order.world >> timeout >> grace;
    instruction.kind = Instruction::Kind::run;
    order.timeout = std::chrono::milliseconds(timeout);
    order.peer_grace = std::chrono::milliseconds(grace);
    if (line != std::string::npos) order.request = text.substr(line + 1);
  } else if (word == "drop") {
    instruction.kind = Instruction::Kind::drop;
    in >> instruction.order.set;
  } else if (word == "end") {
    in >> instruction.code;
  }
  TORCH_CHECK(!in.fail() && !word.empty() && line != std::string::npos,
              "no instruction: ", text.substr(0, line));
  return instruction;
}

LaunchedSet::LaunchedSet(LaunchedWorld& world, Order order)
    : world_(world), order_(std::move(order)) {}

LaunchedSet::~LaunchedSet() {
  try {
    world_.steward_.drop(order_.set);
    if (world_.broken_.empty()) world_.post(drop_text(order_.set));
  } catch (const std::exception&) {
    // The store is gone, and with it everybody who could keep the set.
  }
}

std::vector<RankReply> LaunchedSet::run(const std::string& request) {
  TORCH_CHECK(usable_, "this set of ", order_.world, " ranks is no longer usable: make a new one");
  // No verdict on the code under test: the run ends here.
  if (world_.lost_one()) throw std::runtime_error(world_.broken_);
  order_.request = request;
  const int number = world_.post(run_text(order_));
  auto limit = order_.timeout + order_.peer_grace + kMargin;
  if (std::exchange(fresh_, false)) limit += world_.start_timeout_;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  bool started = true;
  std::vector<RankReply> replies;
  for (int launched = 0; launched < world_.place_.world; ++launched) {
    PartReplies part = launched == 0 ? world_.take_part(number, order_)
                                     : world_.part_of(launched, number, order_, deadline);
    usable_ = usable_ && part.usable;
    started = started && part.started;
    for (RankReply& reply : part.replies) replies.push_back(std::move(reply));
  }
  if (world_.broken_.empty()) world_.store_->deleteKey("order/" + std::to_string(number));
  if (!started) throw StartError("the ranks of the launched world did not start", replies);
  return replies;
}

}  // namespace attncheck::gloo_cpu

#include "gloo_cpu/steward.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gloo_cpu/stores.h"

namespace attncheck::gloo_cpu {
namespace {

// Of a set's ranks on one launched process, at most.
int share_of(int world, int launched) {
  return (world + launched - 1) / launched;
}

// Loopback where all are on one machine. Elsewhere Gloo's own variable names the interface.
std::string network_at(const LaunchedPlace& place) {
  if (place.local_world == place.world) return "127.0.0.1";
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  return interface == nullptr ? "" : std::string("interface:") + interface;
}

}  // namespace

Steward::Steward(LaunchedPlace place, RankSetOptions base)
    : place_(std::move(place)), base_(std::move(base)) {
  base_.network = network_at(place_);
}

int Steward::ranks_at(int launched, int world) const {
  const int share = share_of(world, place_.world);
  return std::clamp(world - launched * share, 0, share);
}

RankSet& Steward::set_of(const Order& order) {
  std::unique_ptr<RankSet>& set = sets_[order.set];
  if (set) return *set;
  const int share = share_of(order.world, place_.world);
  RankSetOptions options = base_;
  options.world = order.world;
  options.timeout = order.timeout;
  options.peer_grace = order.peer_grace;
  options.part.first = place_.rank * share;
  options.part.count = ranks_at(place_.rank, order.world);
  options.part.store =
      store_address(place_.host, place_.port, "attncheck/set" + std::to_string(order.set));
  options.part.local_first = place_.local_rank * share;
  options.part.local_world = place_.local_world * share;
  options.part.others_ended = [this] { return others_ended_(); };
  set = std::make_unique<RankSet>(options);
  return *set;
}

PartReplies Steward::run(const Order& order, const std::function<bool()>& others_ended) {
  PartReplies part;
  if (ranks_at(place_.rank, order.world) == 0) return part;
  others_ended_ = others_ended;
  try {
    RankSet& set = set_of(order);
    part.replies = set.run(order.request);
    part.usable = set.usable();
  } catch (const StartError& error) {
    part.started = part.usable = false;
    part.replies = error.replies();
  }
  return part;
}

}  // namespace attncheck::gloo_cpu

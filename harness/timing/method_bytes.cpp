#include "harness/timing/method_bytes.h"

#include <algorithm>
#include <stdexcept>

#include "harness/timing/diary.h"
#include "properties/traffic_of_case.h"

namespace attncheck::timing {
namespace {

struct Received {
  int64_t forward = 0, backward = 0;
};

Received received_in(const Diary& diary) {
  Received received;
  for (const Diary::Deed& deed : diary.deeds) {
    const Diary::Exchange& exchange = diary.exchanges.at(deed.exchange);
    if (deed.waited || exchange.operation == "send") continue;
    (deed.begin < diary.backward ? received.forward : received.backward) += exchange.bytes;
  }
  return received;
}

// Of the rank that received most; nothing where one kept no diary.
std::optional<Received> most_received(const std::vector<RankReply>& replies) {
  Received most;
  for (const RankReply& reply : replies) {
    if (reply.outcome != RankReply::Outcome::answered) return std::nullopt;
    try {
      const Diary diary = diary_from_bytes(reply.bytes);
      if (!diary.error.empty()) return std::nullopt;
      const Received received = received_in(diary);
      most.forward = std::max(most.forward, received.forward);
      most.backward = std::max(most.backward, received.backward);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }
  return most;
}

void widen(reference::ByteRange& range, const reference::ByteRange& other) {
  range.least = std::max(range.least, other.least);
  range.most = std::max(range.most, other.most);
}

// Of the rank that receives most.
std::optional<reference::Traffic> theory_of(const Registry& registry, const Case& c) {
  const Method method = registry.implementation(c.impl)->method;
  if (method == Method::other) return std::nullopt;
  reference::Traffic most;
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const reference::Traffic own = traffic_of(c, method, rank);
    widen(most.forward, own.forward);
    widen(most.backward, own.backward);
  }
  return most;
}

bool has_diary(const Registry& registry, const PassRow& row) {
  return row.forward && row.backward && registry.implementation(row.case_.impl) != nullptr &&
         !registry.callables.names.contains(row.case_.impl);
}

void fill_row(const Registry& registry, Transport& transport, PassRow& row) {
  Launch launch;
  launch.mesh = row.case_.mesh;
  launch.placement = whole_world(launch.mesh);
  launch.request = trace_request(row.case_);
  const std::optional<Received> received = most_received(transport.run(launch));
  if (!received) return;
  const std::optional<reference::Traffic> theory = theory_of(registry, row.case_);
  row.forward->bytes = PassBytes{received->forward, {}};
  row.backward->bytes = PassBytes{received->backward, {}};
  if (!theory) return;
  row.forward->bytes->theory = theory->forward;
  row.backward->bytes->theory = theory->backward;
}

}  // namespace

bool counts_bytes(const Transport& transport) {
  return transport.name() == "gloo" && transport.device() == "cpu";
}

void fill_bytes(const Registry& registry, Transport& transport, ShapeTimes& shape) {
  if (!counts_bytes(transport)) return;
  for (PassRow& row : shape.passes) {
    if (has_diary(registry, row)) fill_row(registry, transport, row);
  }
}

}  // namespace attncheck::timing

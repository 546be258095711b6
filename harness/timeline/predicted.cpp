#include "harness/timeline/predicted.h"

#include <fmt/format.h>

#include "harness/scale/record.h"
#include "harness/timeline/can_trace.h"

namespace attncheck::timeline {
namespace {

constexpr int kMostRanks = 256;

Exchange exchange_of(const scale::Exchange& posted) {
  const bool ring = posted.axis == scale::Axis::ring;
  return {posted.operation, ring ? "ring" : "ulysses", posted.bytes};
}

Span::Kind kind_of(scale::Span::Kind kind) {
  switch (kind) {
    case scale::Span::Kind::compute:
      return Span::Kind::compute;
    case scale::Span::Kind::post:
      return Span::Kind::post;
    case scale::Span::Kind::wait:
      return Span::Kind::wait;
    case scale::Span::Kind::transfer:
      return Span::Kind::transfer;
  }
  return Span::Kind::compute;
}

// From the ranks of one ring to those of the mesh.
class WholeMesh {
 public:
  WholeMesh(const std::vector<scale::Script>& scripts, const scale::Timetable& timetable,
            Trace& trace)
      : scripts_(scripts), timetable_(timetable), mesh_(trace.case_.mesh), trace_(trace) {}

  void fill() {
    for (int rank = 0; rank < mesh_.world(); ++rank) {
      trace_.exchanges.emplace_back();
      for (const scale::Exchange& posted : scripts_[mesh_.ring_index(rank)].exchanges) {
        trace_.exchanges.back().push_back(exchange_of(posted));
      }
    }
    for (int ulysses = 0; ulysses < mesh_.ulysses; ++ulysses) {
      for (const scale::Span& span : timetable_.spans) add(span, ulysses);
      for (const scale::Meeting& m : timetable_.meetings) {
        add({m.from_rank, m.to_rank, m.from_exchange, m.to_exchange}, ulysses, ulysses);
      }
      add_trades(ulysses);
    }
  }

 private:
  void add(const scale::Span& span, int ulysses) {
    Span own{kind_of(span.kind), mesh_.rank(span.rank, ulysses), span.begin, span.end, span.index};
    if (own.kind == Span::Kind::compute) {
      own.pass = scripts_[span.rank].steps[span.index].pass;
      own.flops = scripts_[span.rank].steps[span.index].flops;
      own.exchange = 0;
    }
    trace_.spans.push_back(own);
  }

  void add(Meeting of_rings, int from_ulysses, int to_ulysses) {
    of_rings.from_rank = mesh_.rank(of_rings.from_rank, from_ulysses);
    of_rings.to_rank = mesh_.rank(of_rings.to_rank, to_ulysses);
    trace_.meetings.push_back(of_rings);
  }

  // Ranks of one Ulysses group do the same at the same time.
  void add_trades(int from) {
    for (int ring = 0; ring < mesh_.ring; ++ring) {
      const std::vector<scale::Exchange>& exchanges = scripts_[ring].exchanges;
      for (size_t i = 0; i < exchanges.size(); ++i) {
        if (exchanges[i].axis != scale::Axis::ulysses) continue;
        for (int to = 0; to < mesh_.ulysses; ++to) {
          if (to != from) add({ring, ring, i, i}, from, to);
        }
      }
    }
  }

  const std::vector<scale::Script>& scripts_;
  const scale::Timetable& timetable_;
  const Mesh mesh_;
  Trace& trace_;
};

}  // namespace

Support can_predict(const Registry& registry, const Case& c) {
  const int world = c.mesh.world();
  if (const Support traced = can_trace(registry, c); !traced) return traced;
  if (world > kMostRanks) {
    return Support::no(fmt::format("{} ranks, at most {}", world, kMostRanks));
  }
  return scale::supports(registry, c);
}

Trace predicted(const Case& c, const std::vector<scale::Script>& scripts,
                const scale::Machine& machine) {
  Trace trace;
  trace.case_ = c;
  scale::Timetable timetable;
  scale::predict(scripts, c.mesh, machine, &timetable);
  WholeMesh(scripts, timetable, trace).fill();
  return trace;
}

Trace predicted(const Registry& registry, const Case& c, const scale::Machine& machine) {
  std::vector<scale::Script> scripts;
  for (int ring = 0; ring < c.mesh.ring; ++ring) {
    scripts.push_back(scale::record(registry, c, c.mesh.rank(ring, 0)));
  }
  return predicted(c, scripts, machine);
}

}  // namespace attncheck::timeline

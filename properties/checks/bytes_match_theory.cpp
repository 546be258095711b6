#include <fmt/format.h>

#include "properties/checks/applies.h"
#include "properties/checks/communication.h"
#include "properties/checks/findings.h"
#include "properties/checks/judging.h"
#include "properties/traffic_of_case.h"

namespace attncheck {
namespace {

std::string text_of(const reference::ByteRange& range) {
  return range.least == range.most ? fmt::format("{} bytes", range.least)
                                   : fmt::format("{} to {} bytes", range.least, range.most);
}

std::optional<Verdict> outside(const reference::ByteRange& range, int64_t bytes, int rank,
                               const char* pass) {
  if (bytes >= range.least && bytes <= range.most) return std::nullopt;
  Evidence evidence;
  evidence.rank = rank;
  evidence.error = static_cast<double>(bytes);
  evidence.bound = static_cast<double>(range.most);
  evidence.expected = text_of(range);
  evidence.got = fmt::format("{} bytes", bytes);
  evidence.message = fmt::format("rank {} receives {} in the {} pass, the method takes {}", rank,
                                 evidence.got, pass, evidence.expected);
  return Verdict::fail(std::move(evidence));
}

Verdict as_in_theory(const Case& c, Method method, const Observation& forward,
                     const Observation& both) {
  for (int rank = 0; rank < c.mesh.world(); ++rank) {
    const reference::Traffic theory = traffic_of(c, method, rank);
    const int64_t ahead = forward.ranks[rank].trace->received_bytes();
    const int64_t back = both.ranks[rank].trace->received_bytes() - ahead;
    if (auto wrong = outside(theory.forward, ahead, rank, "forward")) return *wrong;
    if (c.grad != GradSet{}) continue;
    if (auto wrong = outside(theory.backward, back, rank, "backward")) return *wrong;
  }
  return Verdict::pass();
}

Verdict something_travels(const Case& c, const Observation& observation) {
  if (const Support remote = needs_remote_keys(c); !remote) {
    return Verdict::unsupported(remote.reason);
  }
  for (const RankResult& rank : observation.ranks) {
    if (rank.trace->received_bytes() > 0) return Verdict::pass();
  }
  return Verdict::fail(fmt::format(
      "no rank of mesh {} receives a byte, but queries see keys of other ranks", to_text(c.mesh)));
}

Verdict bytes_match(const Case& c, Lab& lab) {
  Request ahead = base_request(c);
  ahead.backward = false;
  const Observation& both = lab.observe(base_request(c));
  if (const auto none = no_trace(both)) return *none;
  const Observation& forward = lab.observe(ahead);
  for (const Observation* observation : {&both, &forward}) {
    if (const auto ended = ended_early(*observation)) return *ended;
  }
  const Method method = lab.method(c);
  if (method == Method::other) return something_travels(c, both);
  return as_in_theory(c, method, forward, both);
}

}  // namespace

Property bytes_match_theory() {
  Property property;
  property.name = "bytes_match_theory";
  property.explains = "every rank receives as many bytes as its method needs, and no more";
  property.applies = [](const Case& c) { return all_of({needs_attention(c), needs_world(c)}); };
  property.check = bytes_match;
  return property;
}

}  // namespace attncheck

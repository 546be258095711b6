#include "harness/sim_trace.h"

namespace attncheck {
namespace {

Finding::Kind kind_of(sim::FindingKind kind) {
  switch (kind) {
    case sim::FindingKind::unwaited:
      return Finding::Kind::unwaited;
    case sim::FindingKind::read_early:
      return Finding::Kind::read_early;
    case sim::FindingKind::written_early:
      return Finding::Kind::written_early;
    case sim::FindingKind::aliased:
      return Finding::Kind::aliased;
    case sim::FindingKind::mismatch:
      return Finding::Kind::mismatch;
    case sim::FindingKind::unmatched:
      return Finding::Kind::unmatched;
  }
  return Finding::Kind::unmatched;
}

}  // namespace

RankTrace translated(const sim::RankTrace& trace, const Placement& placement) {
  RankTrace translated;
  for (const sim::Finding& finding : trace.findings) {
    translated.findings.push_back({kind_of(finding.kind), finding.operation, finding.text});
  }
  for (const sim::Traffic& part : trace.received) {
    translated.received.push_back(
        {placement.mesh_rank(part.peer), part.operation, part.bytes, part.messages});
  }
  return translated;
}

}  // namespace attncheck

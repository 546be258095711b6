#include "sim/trace.h"

namespace attncheck::sim {

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::unwaited:
      return "unwaited";
    case FindingKind::read_early:
      return "read_early";
    case FindingKind::written_early:
      return "written_early";
    case FindingKind::aliased:
      return "aliased";
    case FindingKind::mismatch:
      return "mismatch";
    case FindingKind::unmatched:
      return "unmatched";
  }
  return "unknown";
}

}  // namespace attncheck::sim

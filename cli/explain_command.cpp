#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/manifest.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/usage.h"
#include "harness/drive/judge.h"
#include "harness/drive/provenance.h"

namespace attncheck::cli {

int explain_command(const std::string& case_text, const RankArguments& ranks) {
  const Case c = case_argument(case_text);
  require_device(c.transport, ranks);
  const Registry& registry = program_registry();
  const std::shared_ptr<RunLab> made = make_lab(registry, ranks);
  RunLab& lab = *made;
  require_runnable(registry, lab, c);
  if (lab.kind(c) != SubjectKind::implementation) {
    throw UsageError("explain speaks of attention over a mesh, and " + c.impl + " is none; " +
                     registry.callables.program + " replay shows what is wrong with it");
  }
  const Support supported = lab.supports(c);
  if (!supported) throw UsageError(c.impl + " does not support the case: " + supported.reason);
  const Provenance provenance = explain(c, lab);
  show(provenance_text(provenance));
  return provenance.fault() ? kFailed : kHeld;
}

}  // namespace attncheck::cli

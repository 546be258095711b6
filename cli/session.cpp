#include "cli/session.h"

#include <filesystem>

#include <ATen/Parallel.h>

#include "cli/names.h"
#include "cli/usage.h"
#include "harness/evaluate_rank.h"
#include "harness/gloo_transport.h"
#include "harness/sim_transport.h"

namespace attncheck::cli {

RunLab make_lab(const Registry& registry) {
  at::set_num_threads(1);  // the sums of the reference must not depend on the machine
  GlooOptions gloo;
  gloo.rank_command = {std::filesystem::read_symlink("/proc/self/exe").string(), "rank"};
  RankAnswer answer = [&registry](const std::string& request, const MeshGroups& groups) {
    return answer_request(registry, request, groups);
  };
  return RunLab(registry, {{"sim", std::make_shared<SimTransport>(std::move(answer))},
                           {"gloo", std::make_shared<GlooTransport>(std::move(gloo))}});
}

void require_runnable(const Registry& registry, const RunLab& lab, const Case& c) {
  require_name("transport", c.transport, transport_names());
  try {
    require_known(registry, c);
  } catch (const UnknownName& error) {
    throw UsageError(error.what());
  }
  const Support carried = lab.carries(c);
  if (!carried) throw UsageError(carried.reason);
}

}  // namespace attncheck::cli

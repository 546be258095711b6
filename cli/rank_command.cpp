#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/usage.h"
#include "harness/process_transport.h"
#include "harness/timing/diary.h"
#include "harness/timing/timed_rank.h"
#include "harness/timing/timing_request.h"
#include "harness/timing/traced_rank.h"

namespace attncheck::cli {

int rank_command() {
  if (!is_rank_process()) {
    throw UsageError("attncheck starts its ranks itself: rank is not a command for people");
  }
  const auto times = [](const std::string& request, gloo_cpu::GroupFactory& factory) {
    return timing::answer_timing(program_registry(), request, factory);
  };
  const auto trace = [](const std::string& request, gloo_cpu::GroupFactory& factory) {
    return timing::answer_trace(program_registry(), request, factory);
  };
  return serve_rank_process(program_registry(),
                            {{timing::kTimingWord, times}, {timing::kTraceWord, trace}});
}

}  // namespace attncheck::cli

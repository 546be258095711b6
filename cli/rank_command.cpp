#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/usage.h"
#include "harness/process_transport.h"

namespace attncheck::cli {

int rank_command() {
  if (!is_rank_process()) {
    throw UsageError("attncheck starts its ranks itself: rank is not a command for people");
  }
  return serve_rank_process(program_registry());
}

}  // namespace attncheck::cli

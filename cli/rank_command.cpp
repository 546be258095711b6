#include "cli/commands.h"
#include "cli/manifest.h"
#include "cli/usage.h"
#include "harness/gloo_transport.h"

namespace attncheck::cli {

int rank_command() {
  if (!is_gloo_rank()) {
    throw UsageError("attncheck starts its ranks itself: rank is not a command for people");
  }
  return serve_gloo_rank(built_in());
}

}  // namespace attncheck::cli

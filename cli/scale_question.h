#pragma once

#include "cli/commands.h"
#include "harness/scale/links.h"

namespace attncheck::cli {

// The machine that predictions are asked for. Throws UsageError.
scale::Machine machine_of(const ScaleArguments& arguments);

}  // namespace attncheck::cli

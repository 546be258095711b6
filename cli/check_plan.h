#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "harness/drive/judge.h"
#include "harness/drive/stream_spec.h"
#include "harness/registry.h"

namespace attncheck::cli {

// One stream of a check, and how many cases it draws.
struct PlannedStream {
  StreamSpec spec;
  int64_t cases = 0;
};

struct CheckPlan {
  std::vector<PlannedStream> streams;
  PropertyList properties;
};

// What a request asks for, with only the meshes that each subject does. Throws UsageError for an
// unknown name, a mesh that no subject does, and a subject, backend or dtype that was asked for by
// name and does none of the meshes.
CheckPlan make_plan(const CheckArguments& arguments, const Registry& registry, Lab& lab);

}  // namespace attncheck::cli

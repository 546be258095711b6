#pragma once

#include "harness/drive/json_parts.h"
#include "harness/html/failure_picture.h"

namespace attncheck {

// {"why_none", "same_as", "matrices", "sums", "queries", "notes", "first_step", "errors"}. A
// matrix is {"name", "rows"}, by query rank and key shard, of [fate, [ranks where it was found]];
// errors are {"tensor", "tokens", "step", "share", "error", "owner"} by token, or by the worst of
// every `step` tokens. What is infinite is null.
ReportJson picture_json(const FailurePicture& picture);

}  // namespace attncheck

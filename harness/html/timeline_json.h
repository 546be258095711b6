#pragma once

#include "harness/drive/json_parts.h"
#include "harness/timeline/trace.h"

namespace attncheck {

// {"case", "measured", "all_ranks", "end", "ranks", "spans", "path", "arrows", "path_shares"};
// times are microseconds. A rank is {"name", "compute", "post", "waited", "received", "uncovered"},
// shares of its time, bytes, and the share of its transfers that nothing hid (null: it has none). A
// span is [rank, kind, begin, end, what, bytes], an arrow [from rank, begin, to rank, end, what]. A
// page has room for so many ranks; the others are left out.
ReportJson timeline_json(const timeline::Trace& trace);

}  // namespace attncheck

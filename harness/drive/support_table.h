#pragma once

#include <string>
#include <vector>

#include "harness/drive/stream_spec.h"
#include "problem/problem.h"

namespace attncheck {

// A backend as a column of the table; `lse` as its contract has it, and the dtype of the plain
// case.
struct BackendColumn {
  std::string name;
  bool lse = true;
  DType dtype = DType::f64;
};

// What an implementation's supports() answers, as a table in Markdown: a row for each of
// support_rows(), a column for each backend. Asked on meshes of 2 to 6 ranks that the
// implementation does at all, on the plain case with the row's change. A cell is "yes" (on all of
// them), "no" or "part" with the number of a note below that has the reason, or "-" where the row
// says nothing. "part" names the first mesh that is refused. Below the table: every two rows that
// are "yes" each alone and refused together.
std::string support_table(const std::string& impl, const std::vector<BackendColumn>& backends,
                          const SupportsCase& supports);

}  // namespace attncheck

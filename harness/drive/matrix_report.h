#pragma once

#include <string>

#include "harness/drive/kill_matrix.h"

namespace attncheck {

// For people, in lines of at most about 100 columns: per mutant the properties that caught it, by
// drawn cases; per property what it is worth; what survived.
std::string report_text(const KillMatrix& matrix);

// For programs (docs/mutants.md names the keys). Only what is called `seconds` differs between two
// runs of one request.
std::string report_json(const KillMatrix& matrix);

}  // namespace attncheck

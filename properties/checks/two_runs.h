#pragma once

#include <optional>
#include <string>

#include "properties/lab.h"
#include "properties/verdict.h"

namespace attncheck {

// unsupported, when the case's backend does not promise the same bits twice.
std::optional<Verdict> not_deterministic(const Case& c, Lab& lab);

// Whether two runs of a case give the same bits in every tensor that both got far enough to give;
// `between` completes "dq of rank 1 differs ...". not_run when one ended early and left nothing.
Verdict same_bits(const Case& c, Lab& lab, const Request& a, const Request& b,
                  const std::string& between);

}  // namespace attncheck

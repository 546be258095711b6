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

// Whether two runs of one problem give the same in each of the tensors: bit by bit where the case's
// backend is deterministic, else within the sum of both bounds. `of_b` may be a run's tensors under
// other names. `between` completes "dq of rank 1 differs ...".
Verdict same_result(Lab& lab, const Request& a, const Observation& of_a, const Observation& of_b,
                    const std::vector<std::string>& tensors, const std::string& between);

// fail, when the second run ended in an error and the first did not: "WHAT ended in an error, ...".
std::optional<Verdict> error_of_second_alone(const Observation& first, const Observation& second,
                                             const std::string& what);

// The tensors of a run that are named `prefix` + NAME + `suffix`, as NAME; its errors stay.
Observation renamed(const Observation& observation, const std::string& prefix,
                    const std::string& suffix);

}  // namespace attncheck

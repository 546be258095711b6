#pragma once

#include <string>

#include "impl/contract/backend_contract.h"
#include "properties/lab.h"
#include "properties/request.h"
#include "reference/bounds.h"

namespace attncheck {

// How the run rounds: by the case, by the blocks that are merged, and by the exp that the kernel's
// contract declares (nullptr: none).
reference::BoundContext bound_context(const Request& request, const BackendContract* contract);

// What the reference says of a request.
Expected expect(const Request& request, const reference::BoundContext& context);

// Requests of one key have one expectation: what the reference says does not depend on how the run
// is made, but for the bounds' context.
std::string expectation_key(Request request, const reference::BoundContext& context);

}  // namespace attncheck

#pragma once

#include "impl/contract/method.h"
#include "problem/case.h"
#include "reference/traffic.h"

namespace attncheck {

// What a rank receives by reference/traffic.h in a case of the method, which is not `other`: the
// shards are the case's, and what travels is as wide as the case's dtype and options have it.
reference::Traffic traffic_of(const Case& c, Method method, int rank);

}  // namespace attncheck

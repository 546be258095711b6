#pragma once

#include "mutants/systematic/operator.h"

namespace attncheck {

// The method's own implementation, with these changes in this phase. Its limits are those of the
// method's parent.
Parent changed_method(Method method, const Changes& changes, Phase phase);

}  // namespace attncheck

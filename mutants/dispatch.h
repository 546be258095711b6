#pragma once

#include "impl/contract/mutant.h"

namespace attncheck {

// A7: math's branch of a dispatcher has no return: it falls through into flash's, whose result
// overwrites math's. Flash is called as it is elsewhere, without the caller's scale: it takes its
// own.
Mutant math_falls_into_flash();

}  // namespace attncheck

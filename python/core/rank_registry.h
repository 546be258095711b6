#pragma once

#include "harness/registry.h"

namespace attncheck::python {

// What a rank needs beside callables: the built-in subjects that run on backends of others, the
// backends, and what else is no mutant.
Registry rank_registry();

}  // namespace attncheck::python

#pragma once

#include "plugin/additions.h"

namespace attncheck {

// What a program knows: defined once by each program that links attncheck::main, which calls it
// before anything else. Throws a std::exception where it cannot.
void manifest(Additions& additions);

// All that the stock program knows: its manifest adds this and nothing else.
void add_built_in(Additions& additions);

}  // namespace attncheck

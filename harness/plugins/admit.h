#pragma once

#include <stdexcept>
#include <string>

#include "harness/registry.h"
#include "plugin/additions.h"

namespace attncheck {

// What somebody brings and cannot be taken: what() is one line that says which, and why.
class NotAdmitted : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Adds to the registry what the plug-in of that path brings; an empty path is the program itself.
// Throws NotAdmitted, and leaves the registry as it was, for a name that is taken or is none, for
// a function that is missing, for a mutant that no property of the registry is named to catch, and
// for a plug-in that brings nothing.
void admit(Registry& registry, Additions additions, const std::string& plugin);

}  // namespace attncheck

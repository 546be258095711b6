#pragma once

#include <string>

namespace attncheck::cli {

// Prints what a command has to say on stdout; at a terminal fitted, and in colour where it takes
// that (takes_colour).
void show(const std::string& text);

// Whether stdout takes colour: a terminal that is not "dumb", and NO_COLOR unset or empty
// (no-color.org).
bool takes_colour();

// The same text with the words that are verdicts in colour: the first words of a line, and the
// cells of explain's tables that show a fault. Only colour is added.
std::string in_colour(const std::string& text);

}  // namespace attncheck::cli

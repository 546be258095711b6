#pragma once

#include <string>

namespace attncheck {

// What the exception that is being handled says, without LibTorch's backtrace; that it is no
// std::exception, where it is none. Call it in a handler.
std::string what_was_thrown();

// For reports that give an incident one line.
std::string in_one_line(const std::string& text);

}  // namespace attncheck

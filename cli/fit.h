#pragma once

#include <string>

namespace attncheck::cli {

inline constexpr size_t kMostColumns = 100;

// The same words on lines of at most kMostColumns, for people at a terminal: a longer line goes on
// below, further in. Lines that are there to be copied (of a case) and long words stay whole.
std::string fitted(const std::string& text);

}  // namespace attncheck::cli

#pragma once

#include <functional>
#include <string>

namespace attncheck::cli {

// The text with each of its lines replaced by what is made of it; a last line stays without a line
// break where it has none.
std::string by_line(const std::string& text,
                    const std::function<std::string(const std::string&)>& make);

}  // namespace attncheck::cli

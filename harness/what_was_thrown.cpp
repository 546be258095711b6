#include "harness/what_was_thrown.h"

#include <exception>
#include <sstream>

#include <c10/util/Exception.h>

namespace attncheck {

std::string what_was_thrown() {
  try {
    throw;
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::string in_one_line(const std::string& text) {
  std::istringstream in(text);
  std::string joined;
  for (std::string line; std::getline(in >> std::ws, line);) {
    joined += (joined.empty() ? "" : " | ") + line;
  }
  return joined;
}

}  // namespace attncheck

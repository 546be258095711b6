#pragma once

#include <cstdint>
#include <string>
#include <vector>

// As in backend.h: whoever describes a value includes <ATen/core/ivalue.h>.
namespace c10 {
struct IValue;
}

namespace attncheck {

// What an operator returned at one place, without its values.
struct ReturnedValue {
  std::string type;  // "Tensor", "undefined" (a tensor that is not there), or "Int", "None", ...
  std::string dtype, layout;            // of a tensor, as LibTorch names them: "Float", "Strided"
  std::vector<int64_t> sizes, strides;  // strides of a strided one

  bool operator==(const ReturnedValue&) const = default;
};

std::vector<ReturnedValue> described(const std::vector<c10::IValue>& values);

// One line, that crosses a process border as a fact: "Tensor Float Strided 2,3 3,1; Int".
std::string to_text(const std::vector<ReturnedValue>& values);
// parse_returned(to_text(v)) == v. Throws std::invalid_argument for a text that is none.
std::vector<ReturnedValue> parse_returned(const std::string& text);

}  // namespace attncheck

#include "properties/kernel_return.h"

#include <sstream>
#include <stdexcept>

#include <ATen/core/ivalue.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attncheck {
namespace {

ReturnedValue described_value(const c10::IValue& value) {
  if (!value.isTensor()) return {value.tagKind(), "", "", {}, {}};
  const at::Tensor& tensor = value.toTensor();
  if (!tensor.defined()) return {"undefined", "", "", {}, {}};
  std::ostringstream layout;
  layout << tensor.layout();
  ReturnedValue described{
      "Tensor", c10::toString(tensor.scalar_type()), layout.str(), tensor.sizes().vec(), {}};
  if (tensor.layout() == at::kStrided) described.strides = tensor.strides().vec();
  return described;
}

// "2,3,4"; "-" for none.
std::string list_text(const std::vector<int64_t>& numbers) {
  return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, ","));
}

std::vector<int64_t> parse_list(const std::string& text) {
  std::vector<int64_t> numbers;
  if (text == "-") return numbers;
  std::istringstream in(text);
  for (std::string number; std::getline(in, number, ',');) numbers.push_back(std::stoll(number));
  return numbers;
}

ReturnedValue parse_value(const std::string& text) {
  std::istringstream in(text);
  ReturnedValue value;
  std::string sizes, strides;
  in >> value.type >> value.dtype >> value.layout >> sizes >> strides;
  const bool tensor = value.type == "Tensor";
  if (value.type.empty() || tensor == strides.empty()) {
    throw std::invalid_argument("'" + text + "' is no returned value");
  }
  if (tensor) value.sizes = parse_list(sizes);
  if (tensor) value.strides = parse_list(strides);
  return value;
}

}  // namespace

std::vector<ReturnedValue> described(const std::vector<c10::IValue>& values) {
  std::vector<ReturnedValue> all;
  for (const c10::IValue& value : values) all.push_back(described_value(value));
  return all;
}

std::string to_text(const std::vector<ReturnedValue>& values) {
  std::string text;
  for (const ReturnedValue& value : values) {
    text += text.empty() ? value.type : "; " + value.type;
    if (value.type != "Tensor") continue;
    text += fmt::format(" {} {} {} {}", value.dtype, value.layout, list_text(value.sizes),
                        list_text(value.strides));
  }
  return text;
}

std::vector<ReturnedValue> parse_returned(const std::string& text) {
  std::vector<ReturnedValue> values;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find("; ", begin), text.size());
    values.push_back(parse_value(text.substr(begin, end - begin)));
    begin = end + 2;
  }
  return values;
}

}  // namespace attncheck

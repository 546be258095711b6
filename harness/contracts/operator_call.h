#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>

namespace attncheck {

using NamedValues = std::map<std::string, c10::IValue>;

// The schema of aten::OP as the dispatcher has it; nothing where it has none of that name.
std::optional<std::string> dispatcher_schema(const std::string& op);

// "cpu" where aten::OP computes on CPU tensors, else "cuda"; nothing where there is no such
// operator.
std::optional<std::string> dispatcher_device(const std::string& op);

// "(...) -> (...)" as native_functions.yaml has it, in the words of the dispatcher. Throws
// std::invalid_argument for text that is no schema.
std::string in_dispatchers_words(const std::string& op, const std::string& schema);

// Calls aten::OP through the dispatcher. An argument is taken by its name from `named`, else by its
// default, else it is None, or an undefined tensor. What it returns has the names of its schema in
// `names`. Throws what the operator throws.
struct OperatorResult {
  std::vector<std::string> names;
  std::vector<c10::IValue> values;
};
OperatorResult call_operator(const std::string& op, const NamedValues& named);

}  // namespace attncheck

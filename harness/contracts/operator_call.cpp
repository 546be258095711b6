#include "harness/contracts/operator_call.h"

#include <sstream>
#include <stdexcept>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

namespace attncheck {
namespace {

std::string text_of(const c10::FunctionSchema& schema) {
  std::ostringstream text;
  text << schema;
  return text.str();
}

c10::IValue argument_value(const c10::Argument& argument, const NamedValues& named) {
  const auto given = named.find(argument.name());
  if (given != named.end()) return given->second;
  if (argument.default_value()) return *argument.default_value();
  if (argument.type()->kind() == c10::TypeKind::OptionalType) return {};
  return at::Tensor();
}

}  // namespace

std::optional<std::string> dispatcher_schema(const std::string& op) {
  const auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + op, ""});
  if (!handle) return std::nullopt;
  return text_of(handle->schema());
}

std::optional<std::string> dispatcher_device(const std::string& op) {
  const auto handle = c10::Dispatcher::singleton().findSchema({"aten::" + op, ""});
  if (!handle) return std::nullopt;
  return handle->hasComputedKernelForDispatchKey(c10::DispatchKey::CPU) ? "cpu" : "cuda";
}

std::string in_dispatchers_words(const std::string& op, const std::string& schema) {
  try {
    return text_of(torch::jit::parseSchema("aten::" + op + schema));
  } catch (const std::exception&) {
    throw std::invalid_argument(op + ": '" + schema + "' is no schema");
  }
}

OperatorResult call_operator(const std::string& op, const NamedValues& named) {
  const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + op).c_str(), "");
  torch::jit::Stack stack;
  for (const c10::Argument& argument : handle.schema().arguments()) {
    stack.push_back(argument_value(argument, named));
  }
  handle.callBoxed(&stack);
  OperatorResult result;
  for (const c10::Argument& returned : handle.schema().returns()) {
    result.names.push_back(returned.name());
  }
  result.values = std::move(stack);
  return result;
}

}  // namespace attncheck

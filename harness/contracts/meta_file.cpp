#include "harness/contracts/meta_file.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace attncheck {
namespace {

using MetaJson = nlohmann::json;

std::optional<TensorForm> meta_form(const MetaJson& json) {
  if (json.is_null()) return std::nullopt;
  return TensorForm{json.at("sizes").get<std::vector<int64_t>>(),
                    json.at("strides").get<std::vector<int64_t>>(),
                    json.at("dtype").get<std::string>(), ""};
}

void require_probes_sizes(const MetaJson& json) {
  const ProbeSizes asked{json.at("B"), json.at("H"), json.at("S"), json.at("K"), json.at("D")};
  if (asked != ProbeSizes{}) throw std::invalid_argument("it asked on other sizes than B2 H4 S40");
}

}  // namespace

MetaKernels parse_meta_kernels(const std::string& text) {
  try {
    const MetaJson json = MetaJson::parse(text);
    require_probes_sizes(json.at("sizes"));
    MetaKernels meta{json.at("libtorch"), {}};
    for (const auto& [op, returns] : json.at("returns").items()) {
      OperatorReturns& operator_returns = meta.returns[op];
      operator_returns.q_dtype = json.at("q_dtype");
      for (const MetaJson& form : returns) operator_returns.returns.push_back(meta_form(form));
    }
    return meta;
  } catch (const MetaJson::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace attncheck

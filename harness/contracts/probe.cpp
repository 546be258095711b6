#include "harness/contracts/probe.h"

#include <cmath>

#include <ATen/Context.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

#include "harness/contracts/operator_call.h"

namespace attncheck {
namespace {

constexpr int64_t kHiddenRow = 3;

std::string dtype_name(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return "float64";
    case at::kFloat:
      return "float32";
    case at::kBFloat16:
      return "bfloat16";
    case at::kHalf:
      return "float16";
    default:
      return c10::toString(type);
  }
}

class Probe {
 public:
  Probe(const reference::KernelContract& contract, at::ScalarType type)
      : contract_(contract), options_(at::TensorOptions(contract.device).dtype(type)) {}

  OperatorReturns run() {
    OperatorReturns returns{dtype_name(options_.dtype().toScalarType()), {}};
    for (const c10::IValue& value : call(false)) returns.returns.push_back(form_of(value));
    if (hides_rows()) add_empty_rows(call(true), returns);
    return returns;
  }

 private:
  bool hides_rows() const {
    return !contract_.returns.empty() && contract_.returns.front().empty_rows != "-";
  }

  // (B, H, length, D) that lies as (B, length, H, D)
  at::Tensor sequence_first(int64_t length) const {
    return at::randn({sizes_.batch, length, sizes_.heads, sizes_.head_dim}, options_)
        .transpose(1, 2);
  }

  NamedValues arguments(bool hide) const {
    NamedValues named{{"query", sequence_first(sizes_.q_len)},
                      {"key", sequence_first(sizes_.kv_len)},
                      {"value", sequence_first(sizes_.kv_len)},
                      {"dropout_p", 0.0},
                      {"is_causal", false},
                      {"compute_log_sumexp", true},
                      {"grad_input_mask", std::vector<bool>{true, true, true, false}}};
    if (hide) named["attn_mask"] = mask();
    return named;
  }

  at::Tensor mask() const {
    at::Tensor mask = at::zeros({sizes_.q_len, sizes_.kv_len}, options_);
    mask.select(0, kHiddenRow).fill_(-INFINITY);
    return mask;
  }

  std::vector<c10::IValue> call(bool hide) const {
    const std::string suffix = "_backward";
    NamedValues named = arguments(hide);
    const bool backward = contract_.op.ends_with(suffix);
    if (!backward) return call_operator(contract_.op, named).values;
    const std::string forward = contract_.op.substr(0, contract_.op.size() - suffix.size());
    add_saved(call_operator(forward, named), named);
    named["grad_out"] = named["grad_out_"] = sequence_first(sizes_.q_len);
    return call_operator(contract_.op, named).values;
  }

  // What forward returned, by the names that backward has for it.
  static void add_saved(const OperatorResult& result, NamedValues& named) {
    const std::map<std::string, std::string> renamed{{"output", "out"},
                                                     {"log_sumexp", "logsumexp"},
                                                     {"rng_state", "philox_seed"},
                                                     {"unused", "philox_offset"}};
    for (size_t i = 0; i < result.values.size(); ++i) {
      const auto other = renamed.find(result.names[i]);
      named[other == renamed.end() ? result.names[i] : other->second] = result.values[i];
    }
  }

  static std::optional<TensorForm> form_of(const c10::IValue& value) {
    if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
    const at::Tensor& tensor = value.toTensor();
    return TensorForm{tensor.sizes().vec(), tensor.strides().vec(),
                      dtype_name(tensor.scalar_type()), ""};
  }

  static void add_empty_rows(const std::vector<c10::IValue>& values, OperatorReturns& returns) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!returns.returns[i] || values[i].toTensor().dim() < 3) continue;
      returns.returns[i]->empty_rows = one_value(values[i].toTensor().select(2, kHiddenRow));
    }
  }

  static std::string one_value(const at::Tensor& row) {
    const at::Tensor values = row.to(at::kCPU, at::kDouble).contiguous();
    const double first = values.flatten()[0].item<double>();
    if (std::isnan(first)) return values.isnan().all().item<bool>() ? "nan" : "values";
    if (!values.eq(first).all().item<bool>()) return "values";
    if (std::isinf(first)) return first > 0 ? "+inf" : "-inf";
    return first == 0 ? "0" : "values";
  }

  const reference::KernelContract& contract_;
  ProbeSizes sizes_;
  at::TensorOptions options_;
};

std::vector<at::ScalarType> types_of(const reference::KernelContract& contract) {
  if (contract.device == "cpu") return {at::kDouble, at::kBFloat16};
  return {at::kBFloat16};
}

}  // namespace

ProbeResult probe(const reference::KernelContract& contract) {
  if (contract.device == "cuda" && !at::hasCUDA()) return {{}, "no CUDA device"};
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  ProbeResult result;
  try {
    for (const at::ScalarType type : types_of(contract)) {
      result.runs.push_back(Probe(contract, type).run());
    }
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return {{}, "it threw: " + text.substr(0, text.find('\n'))};
  }
  return result;
}

}  // namespace attncheck

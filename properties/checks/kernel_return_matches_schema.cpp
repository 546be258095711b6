#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include "impl/contract/raw_form.h"
#include "properties/checks/applies.h"
#include "properties/checks/contracts.h"
#include "properties/checks/judging.h"
#include "properties/compare.h"
#include "properties/kernel_return.h"

namespace attncheck {
namespace {

using Values = std::vector<ReturnedValue>;

// What the contract declares at one place.
struct Declared {
  std::string name;
  std::vector<int64_t> sizes;
  at::ScalarType type;
  MemoryOrder memory;
  bool by_head;  // axes (B, H, S, ...): in memory the heads may lie behind the sequence
};

std::vector<Declared> declared_of(const BackendContract& contract, const Problem& p) {
  const at::ScalarType q = scalar_type(p.dtype);
  std::vector<Declared> all{{"the kernel's out",
                             raw_out_sizes(contract, p.batch, p.q_len, p.heads, p.v_head_dim), q,
                             contract.out_memory, contract.layout == KernelLayout::BHSD}};
  if (!contract.lse) return all;
  all.push_back({"the kernel's log-sum-exp", raw_lse_sizes(contract, p.batch, p.q_len, p.heads),
                 raw_lse_type(contract, q), contract.lse_memory,
                 contract.lse_shape != LseShape::BSH});
  return all;
}

// The strides of a tensor of those sizes whose axes lie in memory in that order, outermost first.
std::vector<int64_t> strides_of(const std::vector<int64_t>& sizes, bool swapped) {
  std::vector<size_t> axes(sizes.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  if (swapped) std::swap(axes[1], axes[2]);
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  for (size_t i = axes.size(); i-- > 0; next *= sizes[axes[i]]) strides[axes[i]] = next;
  return strides;
}

// An axis of one element may have any stride.
bool same_strides(const ReturnedValue& value, const std::vector<int64_t>& strides) {
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    if (value.sizes[i] != 1 && value.strides[i] != strides[i]) return false;
  }
  return true;
}

std::string tensor_text(const std::string& dtype, at::IntArrayRef sizes) {
  return fmt::format("a {} tensor {}", dtype, index_text(sizes));
}

Verdict lies_as_declared(const Declared& declared, const ReturnedValue& value) {
  if (declared.memory == MemoryOrder::undeclared) return Verdict::pass();
  const bool swapped = declared.memory == MemoryOrder::sequence_first && declared.by_head;
  const std::vector<int64_t> strides = strides_of(declared.sizes, swapped);
  if (same_strides(value, strides)) return Verdict::pass();
  return wrong_form(declared.name, 0, "of strides " + index_text(strides),
                    "of strides " + index_text(value.strides));
}

Verdict is_as_declared(const Declared& declared, const ReturnedValue& value) {
  const std::string expected = tensor_text(c10::toString(declared.type), declared.sizes);
  if (value.type != "Tensor") return wrong_form(declared.name, 0, expected, value.type);
  if (value.sizes != declared.sizes || value.dtype != c10::toString(declared.type)) {
    return wrong_form(declared.name, 0, expected, tensor_text(value.dtype, value.sizes));
  }
  if (value.layout != "Strided") return wrong_form(declared.name, 0, "strided", value.layout);
  return lies_as_declared(declared, value);
}

// "aten::NAME.OVERLOAD"
std::optional<c10::OperatorHandle> operator_of(const std::string& name) {
  const size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchema({name.substr(0, dot), overload});
}

// Whether a value can stand where the schema has that type. Types of which a value does not tell
// the kind are not looked at.
bool fits(c10::TypeKind kind, const std::string& value) {
  switch (kind) {
    case c10::TypeKind::TensorType:
      return value == "Tensor" || value == "undefined";
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return value == "Int" || value == "SymInt";
    default:
      return true;
  }
}

Verdict fits_schema(const std::string& op, const Values& values) {
  const auto found = operator_of(op);
  if (!found) return Verdict::fail("the dispatcher of this LibTorch has no operator " + op);
  const auto& returns = found->schema().returns();
  if (values.size() != returns.size()) {
    return wrong_form("the number of values of " + op, 0, std::to_string(returns.size()),
                      std::to_string(values.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (fits(returns[i].type()->kind(), values[i].type)) continue;
    return wrong_form(fmt::format("value {} of {}", i, op), 0, returns[i].type()->str(),
                      values[i].type);
  }
  return Verdict::pass();
}

int64_t extra_saved(const BackendContract& contract) {
  static const std::set<std::string> kOwn{"q", "k", "v", "out", "lse"};
  int64_t extra = 0;
  for (const std::string& name : contract.saved) extra += kOwn.contains(name) ? 0 : 1;
  return extra;
}

Verdict is_all_as_declared(const BackendContract& contract, const Problem& p, const Values& values,
                           const std::string& saved) {
  if (!contract.op.empty()) {
    Verdict verdict = fits_schema(contract.op, values);
    if (verdict.failed()) return verdict;
  }
  const std::vector<Declared> all = declared_of(contract, p);
  if (values.size() < all.size() || (contract.op.empty() && values.size() != all.size())) {
    return wrong_form("the number of values of the kernel", 0, std::to_string(all.size()),
                      std::to_string(values.size()));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    Verdict verdict = is_as_declared(all[i], values[i]);
    if (verdict.failed()) return verdict;
  }
  const std::string extra = std::to_string(extra_saved(contract));
  return saved == extra ? Verdict::pass()
                        : wrong_form("the number of values for backward beside q, k, v, out, lse",
                                     0, extra, saved);
}

Verdict returns_what_it_declares(const Case& c, Lab& lab) {
  const BackendContract* contract = lab.contract(c);
  if (contract == nullptr) return Verdict::unsupported("the backend declares nothing");
  const Observation& observation = lab.observe(plain_request(c));
  const auto& facts = observation.ranks.front().facts;
  const auto returned = facts.find("kernel_return"), aux = facts.find("kernel_aux");
  if (returned == facts.end() || aux == facts.end()) {
    const auto ended = ended_early(observation);
    return ended ? *ended : Verdict::not_run("the run does not say what its kernel returned");
  }
  return is_all_as_declared(*contract, c.problem, parse_returned(returned->second), aux->second);
}

}  // namespace

Property kernel_return_matches_schema() {
  Property property;
  property.name = "kernel_return_matches_schema";
  property.explains =
      "a kernel returns what its contract declares and what the schema of its operator says";
  property.subjects = {SubjectKind::local};
  property.applies = needs_attention;
  property.check = returns_what_it_declares;
  return property;
}

}  // namespace attncheck

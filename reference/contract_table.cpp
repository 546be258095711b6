#include "reference/contract_table.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace attncheck::reference {
namespace {

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_size(const std::string& word) {
  const bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  return number || is_one_of(word, {"B", "H", "S", "K", "D", "S32"});
}

std::string fault_of(const ReturnedTensor& tensor) {
  std::istringstream sizes(tensor.shape);
  for (std::string size; sizes >> size;) {
    if (!is_size(size)) return "shape '" + size + "', and sizes are B, H, S, K, D, S32 or a number";
  }
  if (!is_one_of(tensor.dtype, {"q", "float32", "wide"}))
    return "dtype '" + tensor.dtype + "', and there are q, float32 and wide";
  if (!is_one_of(tensor.memory, {"as_shaped", "sequence_first", "as_q", "any"}))
    return "memory '" + tensor.memory + "', and there are as_shaped, sequence_first, as_q and any";
  if (!is_one_of(tensor.empty_rows, {"0", "-inf", "+inf", "-"}))
    return "empty_rows '" + tensor.empty_rows + "', and there are 0, -inf, +inf and -";
  if (tensor.position < 0) return "position " + std::to_string(tensor.position);
  return "";
}

std::string fault_of(const KernelContract& contract) {
  if (contract.op.empty()) return "no op";
  if (!is_one_of(contract.device, {"cpu", "cuda"}))
    return "device '" + contract.device + "', and there are cpu and cuda";
  if (contract.source.empty()) return "no source: where is it from that the kernel does this?";
  if (contract.last < contract.first)
    return "the last release, " + to_text(contract.last) + ", is before the first, " +
           to_text(contract.first);
  if (contract.returns.empty()) return "it returns no tensor, so there is nothing to hold it to";
  for (const ReturnedTensor& tensor : contract.returns) {
    const std::string fault = fault_of(tensor);
    if (!fault.empty()) return tensor.name + ": " + fault;
  }
  return "";
}

bool overlap(const KernelContract& a, const KernelContract& b) {
  return a.op == b.op && a.first <= b.last && b.first <= a.last;
}

}  // namespace

std::optional<Release> parse_release(const std::string& text) {
  Release release;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, release.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, release.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  if (minor.ptr != end && *minor.ptr != '.') return std::nullopt;
  return release;
}

std::string to_text(Release release) {
  return std::to_string(release.major) + "." + std::to_string(release.minor);
}

const KernelContract* find_contract(const ContractTable& table, const std::string& op,
                                    Release release) {
  for (const KernelContract& contract : table) {
    if (contract.op == op && contract.first <= release && release <= contract.last)
      return &contract;
  }
  return nullptr;
}

std::vector<std::string> operators_of(const ContractTable& table) {
  std::vector<std::string> ops;
  for (const KernelContract& contract : table) {
    if (!is_one_of(contract.op, ops)) ops.push_back(contract.op);
  }
  return ops;
}

std::string fault_of(const ContractTable& table) {
  for (size_t i = 0; i < table.size(); ++i) {
    const std::string fault = fault_of(table[i]);
    if (!fault.empty()) return table[i].op + ": " + fault;
    for (size_t j = 0; j < i; ++j) {
      if (overlap(table[i], table[j])) {
        return table[i].op + ": two rows for release " +
               to_text(std::max(table[i].first, table[j].first));
      }
    }
  }
  return table.empty() ? "no row" : "";
}

}  // namespace attncheck::reference

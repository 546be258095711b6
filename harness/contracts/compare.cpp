#include "harness/contracts/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/contracts/operator_call.h"

namespace attncheck {
namespace {

using reference::KernelContract;
using reference::Release;
using reference::ReturnedTensor;
using State = ContractFinding::State;

ContractFinding finding_of(const KernelContract& row, const std::string& what,
                           const std::string& table, const std::string& witness,
                           const std::string& found) {
  return {row.op, what, table, witness, found, table == found ? State::agrees : State::differs, ""};
}

ContractFinding not_run_finding(const KernelContract& row, const std::string& witness,
                                const std::string& reason) {
  return {row.op, "returns", "", witness, "", State::not_run, reason};
}

const ReturnedTensor* tensor_named(const KernelContract& row, const std::string& name) {
  for (const ReturnedTensor& tensor : row.returns) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

// ---- what a backend declares, in the table's words

std::string declared_shape(LseShape shape) {
  switch (shape) {
    case LseShape::BHS:
      return "B H S";
    case LseShape::BHS1:
      return "B H S 1";
    case LseShape::BHS32:
      return "B H S32";
    case LseShape::BSH:
      break;
  }
  return "B S H";
}

std::string declared_dtype(LseDType dtype) {
  if (dtype == LseDType::wide) return "wide";
  return dtype == LseDType::float32 ? "float32" : "q";
}

std::string declared_memory(MemoryOrder memory) {
  if (memory == MemoryOrder::undeclared) return "any";
  return memory == MemoryOrder::as_shaped ? "as_shaped" : "sequence_first";
}

std::string declared_empty_rows(EmptyRowLse value) {
  if (value == EmptyRowLse::zero) return "0";
  return value == EmptyRowLse::minus_infinity ? "-inf" : "+inf";
}

bool takes_float64(const BackendContract& contract) {
  const std::vector<DType>& dtypes = contract.takes.dtypes;
  return std::find(dtypes.begin(), dtypes.end(), DType::f64) != dtypes.end();
}

// Two words that mean the same for every dtype that the kernel takes are one.
std::string word_for_dtypes(const std::string& word, const BackendContract& contract) {
  return word == "wide" && !takes_float64(contract) ? "float32" : word;
}

bool is_for(const Releases& releases, Release release) {
  const std::optional<Release> from = reference::parse_release(releases.from);
  const std::optional<Release> before = reference::parse_release(releases.before);
  return (!from || *from <= release) && (!before || release < *before);
}

// ---- what an operator returned

struct SeenTensor {
  const KernelContract& row;
  const ReturnedTensor& expected;
  std::string witness;

  ContractFinding finding(const std::string& what, const std::string& table,
                          const std::string& found) const {
    return finding_of(row, expected.name + " " + what, table, witness, found);
  }
};

void add_seen(const SeenTensor& seen, const TensorForm& form, const std::string& q_dtype,
              std::vector<ContractFinding>& findings) {
  const ReturnedTensor& expected = seen.expected;
  const std::string for_q = " of a " + q_dtype + " q";
  findings.push_back(seen.finding("shape", expected.shape, shape_words(form.sizes)));
  findings.push_back(
      seen.finding("dtype", dtype_for(expected.dtype, q_dtype) + for_q, form.dtype + for_q));
  if (expected.memory != "any") {
    findings.push_back(seen.finding("memory", memory_for(expected.memory), memory_words(form)));
  }
  if (!form.empty_rows.empty()) {
    findings.push_back(seen.finding("empty rows", expected.empty_rows, form.empty_rows));
  }
}

// Findings that say the same of two dtypes are one.
void add_new(std::vector<ContractFinding>& all, const std::vector<ContractFinding>& more) {
  for (const ContractFinding& finding : more) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const ContractFinding& f) {
      return f.what == finding.what && f.witness == finding.witness && f.found == finding.found &&
             f.table == finding.table;
    });
    if (!known) all.push_back(finding);
  }
}

// ---- one operator

bool declares(const Declaration& declaration, const std::string& op) {
  return !declaration.contract.op.empty() && declaration.contract.op == "aten::" + op;
}

bool is_declared(const ContractRequest& request, const std::string& op) {
  const std::string suffix = "_backward";
  const std::string forward = op.ends_with(suffix) ? op.substr(0, op.size() - suffix.size()) : op;
  return std::any_of(request.declarations.begin(), request.declarations.end(),
                     [&](const Declaration& d) { return declares(d, forward); });
}

void add_declared(const ContractRequest& request, OperatorFindings& op) {
  for (const Declaration& declaration : request.declarations) {
    if (!declares(declaration, op.row.op)) continue;
    if (is_for(declaration.contract.releases, request.release)) {
      add_new(op.findings, compare_declared(op.row, declaration));
    } else {
      op.findings.push_back(not_run_finding(op.row, declaration.backend + " declares",
                                            "its contract is for other releases"));
    }
  }
}

// Those of this release.
void add_quirks(const ContractRequest& request, OperatorFindings& op) {
  for (const Declaration& declaration : request.declarations) {
    if (!declares(declaration, op.row.op)) continue;
    for (const Quirk& quirk : declaration.contract.quirks) {
      if (is_for(quirk.releases, request.release)) op.quirks.push_back(quirk);
    }
  }
}

void add_probe(OperatorFindings& op) {
  const ProbeResult result = probe(op.row);
  if (result.not_run.empty()) {
    add_new(op.findings, compare_returned(op.row, "returned here", result.runs));
  } else {
    op.findings.push_back(not_run_finding(op.row, "returned here", result.not_run));
  }
}

// A CPU operator needs no meta kernel: it was run.
void add_meta(const MetaKernels& meta, OperatorFindings& op) {
  if (op.row.device == "cpu") return;
  const auto returns = meta.returns.find(op.row.op);
  if (returns != meta.returns.end()) {
    add_new(op.findings, compare_returned(op.row, "meta kernel", {returns->second}));
  } else {
    op.findings.push_back(not_run_finding(op.row, "meta kernel", "the file does not have it"));
  }
}

}  // namespace

ContractFinding compare_schema(const KernelContract& row) {
  const std::string table = in_dispatchers_words(row.op, row.schema);
  const std::optional<std::string> found = dispatcher_schema(row.op);
  return finding_of(row, "schema", table, "dispatcher", found.value_or("no such operator"));
}

ContractFinding compare_device(const KernelContract& row) {
  const std::optional<std::string> found = dispatcher_device(row.op);
  return finding_of(row, "device", row.device, "dispatcher", found.value_or("no such operator"));
}

std::vector<ContractFinding> compare_declared(const KernelContract& row,
                                              const Declaration& declaration) {
  const BackendContract& contract = declaration.contract;
  std::vector<ContractFinding> findings;
  const auto add = [&](const std::string& what, const std::string& table,
                       const std::string& found) {
    findings.push_back(finding_of(row, what, table, declaration.backend + " declares", found));
  };
  const ReturnedTensor* out = tensor_named(row, "out");
  if (out != nullptr && out->memory != "any" && contract.out_memory != MemoryOrder::undeclared)
    add("out memory", memory_for(out->memory), declared_memory(contract.out_memory));
  const ReturnedTensor* lse = tensor_named(row, "lse");
  if (lse == nullptr && contract.lse) add("lse", "no tensor", "returned");
  if (lse == nullptr || !contract.lse) return findings;
  add("lse shape", lse->shape, declared_shape(contract.lse_shape));
  add("lse dtype", word_for_dtypes(lse->dtype, contract),
      word_for_dtypes(declared_dtype(contract.lse_dtype), contract));
  if (contract.lse_memory != MemoryOrder::undeclared)
    add("lse memory", memory_for(lse->memory), declared_memory(contract.lse_memory));
  if (lse->empty_rows != "-")
    add("lse empty rows", lse->empty_rows, declared_empty_rows(contract.empty_row_lse));
  return findings;
}

std::vector<ContractFinding> compare_returned(const KernelContract& row, const std::string& witness,
                                              const std::vector<OperatorReturns>& runs) {
  std::vector<ContractFinding> findings;
  for (const OperatorReturns& run : runs) {
    for (const ReturnedTensor& expected : row.returns) {
      const SeenTensor seen{row, expected, witness};
      const size_t position = static_cast<size_t>(expected.position);
      std::vector<ContractFinding> of_tensor;
      if (position < run.returns.size() && run.returns[position]) {
        add_seen(seen, *run.returns[position], run.q_dtype, of_tensor);
      } else {
        of_tensor.push_back(seen.finding("shape", expected.shape, "no tensor"));
      }
      add_new(findings, of_tensor);
    }
  }
  return findings;
}

bool is_asked_for(const ContractRequest& request, const std::string& op) {
  return !request.only_declared || is_declared(request, op);
}

std::vector<OperatorFindings> compare_all(const ContractRequest& request) {
  std::vector<OperatorFindings> all;
  for (const std::string& name : reference::operators_of(request.table)) {
    const KernelContract* row = reference::find_contract(request.table, name, request.release);
    if (row == nullptr || (!is_asked_for(request, name))) continue;
    OperatorFindings op{*row, {compare_schema(*row), compare_device(*row)}, {}};
    add_declared(request, op);
    add_quirks(request, op);
    add_probe(op);
    if (request.meta != nullptr) add_meta(*request.meta, op);
    all.push_back(std::move(op));
  }
  return all;
}

}  // namespace attncheck

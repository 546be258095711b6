#include <sstream>

#include <fmt/format.h>

#include "harness/contracts/contract_report.h"
#include "harness/contracts/tensor_form.h"

namespace attncheck {
namespace {

using reference::ReturnedTensor;
using State = ContractFinding::State;

constexpr size_t kTextWidth = 100;

// Words in lines of at most kTextWidth, each with the indent in front.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string lines, line = indent;
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kTextWidth) {
      lines += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return lines + line + "\n";
}

// "aten::op(...) -> ..." without the name, which stands above it.
std::string signature(const std::string& schema) {
  const size_t begin = schema.find('(');
  return begin == std::string::npos ? schema : schema.substr(begin);
}

// Who says the same as the table of this tensor, each once.
std::string witnesses_of(const OperatorFindings& op, const ReturnedTensor& tensor) {
  std::string names;
  for (const ContractFinding& finding : op.findings) {
    if (finding.state != State::agrees || !finding.what.starts_with(tensor.name + " ")) continue;
    if (names.find(finding.witness) != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + finding.witness;
  }
  return names.empty() ? "-" : names;
}

std::string tensor_line(const std::string& name, const std::string& shape, const std::string& dtype,
                        const std::string& memory, const std::string& empty_rows,
                        const std::string& witnesses) {
  return fmt::format("  {:<8} {:<8} {:<8} {:<15} {:<11} {}\n", name, shape, dtype, memory,
                     empty_rows, witnesses);
}

std::string tensors_text(const OperatorFindings& op) {
  std::string text =
      tensor_line("returns", "shape", "dtype", "memory", "empty rows", "the same says");
  for (const ReturnedTensor& tensor : op.row.returns) {
    text += tensor_line(tensor.name, tensor.shape, tensor.dtype, tensor.memory, tensor.empty_rows,
                        witnesses_of(op, tensor));
  }
  return text;
}

std::string schema_text(const ContractFinding& schema) {
  std::string text = wrapped(signature(schema.found), "    ");
  if (schema.state == State::differs)
    text += "  DIFFERS  the table's schema is\n" + wrapped(signature(schema.table), "    ");
  return text;
}

std::string difference_line(const ContractFinding& finding) {
  return fmt::format("  DIFFERS  {}: the table has {}, {}: {}\n", finding.what, finding.table,
                     finding.witness, finding.found);
}

std::string operator_text(const OperatorFindings& op) {
  std::string text = fmt::format("aten::{}\n", op.row.op);
  for (const ContractFinding& finding : op.findings) {
    if (finding.what == "schema") text += schema_text(finding);
  }
  text += tensors_text(op);
  for (const ContractFinding& finding : op.findings) {
    if (finding.state == State::differs && finding.what != "schema")
      text += difference_line(finding);
    if (finding.state == State::not_run)
      text += fmt::format("  not run  {}: {}\n", finding.witness, finding.reason);
  }
  for (const Quirk& quirk : op.quirks)
    text += fmt::format("  quirk    {}: {}\n", quirk.name, quirk.what);
  if (!op.row.note.empty()) text += fmt::format("  note     {}\n", op.row.note);
  return text + fmt::format("  row      {} to {}, from {}\n\n", to_text(op.row.first),
                            to_text(op.row.last), op.row.source);
}

std::string difference_text(const ContractFinding& finding, const ContractReport& report) {
  return fmt::format("FAILED aten::{} on LibTorch {}: {}\n  {:<9}{}\n  {:<9}{}\n  {:<9}{}\n\n",
                     finding.op, report.release, finding.what, "witness", finding.witness, "table",
                     finding.table, "found", finding.found);
}

}  // namespace

std::string report_text(const ContractReport& report) {
  const ProbeSizes sizes;
  std::string text = fmt::format(
      "LibTorch {}, held against the table's rows of {}\n"
      "asked with B {}, H {}, S {}, K {} (keys), D {}; S32 is S up to a multiple of 32\n\n",
      report.libtorch, report.release, sizes.batch, sizes.heads, sizes.q_len, sizes.kv_len,
      sizes.head_dim);
  for (const OperatorFindings& op : report.operators) text += operator_text(op);
  for (const OperatorFindings& op : report.operators) {
    for (const ContractFinding& finding : op.findings) {
      if (finding.state == State::differs) text += difference_text(finding, report);
    }
  }
  for (const std::string& line : report.unchecked) text += "not checked: " + line + "\n";
  return text + fmt::format("{} operators: {} facts agree, {} differ, {} not run\n",
                            report.operators.size(), report.count(State::agrees),
                            report.count(State::differs), report.count(State::not_run));
}

}  // namespace attncheck

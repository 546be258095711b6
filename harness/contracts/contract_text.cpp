#include <algorithm>

#include <fmt/format.h>

#include "harness/contracts/contract_report.h"
#include "harness/contracts/tensor_form.h"

namespace attncheck {
namespace {

using State = ContractFinding::State;

// One line of an operator: a fact, what the table says of it, and who says the same.
struct FactLine {
  std::string what, table, agree, differ;
};

void add_to(std::string& list, const std::string& item) {
  if (list.find(item) != std::string::npos) return;
  list += (list.empty() ? "" : ", ") + item;
}

std::vector<FactLine> facts_of(const OperatorFindings& op) {
  std::vector<FactLine> facts;
  for (const ContractFinding& finding : op.findings) {
    if (finding.state == State::not_run || finding.what == "schema") continue;
    const bool dtype = finding.what.ends_with(" dtype");
    const auto same = [&](const FactLine& f) {
      return f.what == finding.what && (!dtype || f.table == finding.table);
    };
    auto fact = std::find_if(facts.begin(), facts.end(), same);
    if (fact == facts.end()) fact = facts.insert(facts.end(), {finding.what, finding.table, "", ""});
    if (finding.state == State::agrees) add_to(fact->agree, finding.witness);
    if (finding.state == State::differs)
      add_to(fact->differ, fmt::format("{}: {}", finding.witness, finding.found));
  }
  return facts;
}

std::string fact_text(const FactLine& fact) {
  std::string says = fact.agree;
  if (!fact.differ.empty()) says += (says.empty() ? "" : "; ") + ("DIFFERS " + fact.differ);
  return fmt::format("  {:<18}{:<28}{}\n", fact.what, fact.table, says);
}

std::string schema_text(const ContractFinding& schema) {
  std::string text = fmt::format("  {:<18}{}\n", "schema", schema.found);
  if (schema.state == State::differs)
    text += fmt::format("  {:<18}DIFFERS, the table has {}\n", "", schema.table);
  return text;
}

std::string operator_text(const OperatorFindings& op) {
  std::string text = fmt::format("aten::{}\n", op.row.op);
  for (const ContractFinding& finding : op.findings) {
    if (finding.what == "schema") text += schema_text(finding);
  }
  for (const FactLine& fact : facts_of(op)) text += fact_text(fact);
  for (const ContractFinding& finding : op.findings) {
    if (finding.state != State::not_run) continue;
    text += fmt::format("  {:<18}not run: {}\n", finding.witness, finding.reason);
  }
  if (!op.row.note.empty()) text += fmt::format("  {:<18}{}\n", "note", op.row.note);
  return text + fmt::format("  {:<18}{} to {}; {}\n\n", "table's row", to_text(op.row.first),
                            to_text(op.row.last), op.row.source);
}

std::string difference_text(const ContractFinding& finding, const ContractReport& report) {
  return fmt::format(
      "FAILED aten::{} on LibTorch {}: {}\n  {:<9}{}\n  {:<9}{}\n  {:<9}{}\n\n", finding.op,
      report.release, finding.what, "witness", finding.witness, "table", finding.table, "found",
      finding.found);
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

#include "mutants/systematic/systematic.h"

#include <algorithm>
#include <iterator>

#include "mutants/entry.h"
#include "mutants/systematic/assembly.h"
#include "mutants/systematic/block_operators.h"
#include "mutants/systematic/pass_operators.h"
#include "mutants/systematic/peer_operators.h"
#include "mutants/systematic/step_operators.h"
#include "mutants/systematic/trade_operators.h"
#include "mutants/systematic/transfer_operators.h"

namespace attncheck {
namespace {

// The words on a mesh of so many ranks of the method, unless they name a mesh.
std::string words_on(Method method, int ranks, const std::string& words) {
  if (words.starts_with("mesh=")) return words;
  const std::string degree = std::to_string(ranks);
  return (method == Method::ulysses ? "mesh=1x" + degree : "mesh=" + degree + "x1") + " " + words;
}

std::string property_that_catches(const AppliedOperator& applied) {
  if (!applied.reach.property.empty()) return applied.reach.property;
  return applied.phase == Phase::backward ? "gradients_match_reference"
                                          : "output_matches_reference";
}

std::string fault_in_place(const AppliedOperator& applied) {
  const char* where =
      applied.phase == Phase::both ? "forward and backward" : to_text(applied.phase);
  return std::string(to_text(applied.method)) + ", " + where + ": " + applied.op.fault;
}

Mutant mutant_of(const AppliedOperator& applied) {
  const Parent parent = changed_method(applied.method, applied.op.changes, applied.phase);
  Mutant mutant = make_mutant({.name = applied.name(),
                               .source = "mutation operator",
                               .fault = fault_in_place(applied),
                               .property = property_that_catches(applied),
                               .smallest = applied.smallest()},
                              implementation_of(applied.name(), parent));
  mutant.systematic = true;
  mutant.equivalent = applied.reach.equivalent;
  return mutant;
}

void apply(const Operator& op, const Reach& reach, std::vector<AppliedOperator>& all) {
  for (const Method method : reach.methods) {
    for (const Phase phase : reach.phases) all.push_back({op, reach, method, phase});
  }
}

}  // namespace

std::string AppliedOperator::name() const {
  return std::string("sys_") + to_text(method) + "_" + op.name + "_" + to_text(phase);
}

std::string AppliedOperator::smallest() const {
  return words_on(method, reach.ranks, reach.smallest);
}

std::string AppliedOperator::harmless() const {
  constexpr int kRanks = 2;
  return op.right.empty() ? "" : words_on(method, kRanks, op.right);
}

std::vector<Operator> mutation_operators() {
  std::vector<Operator> all;
  for (const auto family : {block_operators, pass_operators, peer_operators, step_operators,
                            trade_operators, transfer_operators}) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &Operator::name);
  return all;
}

std::vector<AppliedOperator> applied_operators() {
  std::vector<AppliedOperator> all;
  for (const Operator& op : mutation_operators()) {
    for (const Reach& reach : op.reaches) apply(op, reach, all);
  }
  return all;
}

std::vector<Mutant> systematic_mutants() {
  std::vector<Mutant> mutants;
  for (const AppliedOperator& applied : applied_operators()) mutants.push_back(mutant_of(applied));
  return mutants;
}

}  // namespace attncheck

#pragma once

#include <string>
#include <vector>

#include "harness/contracts/contract_report.h"
#include "harness/contracts/meta_file.h"
#include "harness/contracts/probe.h"
#include "impl/contract/backend_contract.h"
#include "reference/contract_table.h"

namespace attncheck {

// What a backend says of itself, under its name.
struct Declaration {
  std::string backend;
  BackendContract contract;
};

// Each compares one witness with the row of an operator. A tensor that the row says nothing of is
// passed over, but a log-sum-exp that a backend declares.

// The schema, as the dispatcher prints both.
ContractFinding compare_schema(const reference::KernelContract& row);
// Whether it computes on CPU tensors, as the dispatcher has it.
ContractFinding compare_device(const reference::KernelContract& row);

// Shape, dtype, memory and the value of rows without keys, of out and of the log-sum-exp.
std::vector<ContractFinding> compare_declared(const reference::KernelContract& row,
                                              const Declaration& declaration);

// Shape, dtype and memory of every tensor, for each dtype of q that it was asked in; values of rows
// without keys where it was asked for them.
std::vector<ContractFinding> compare_returned(const reference::KernelContract& row,
                                              const std::string& witness,
                                              const std::vector<OperatorReturns>& runs);

// All of them, for every operator of the table in this release. Operators of backends alone where
// `only_declared` says so. `meta` is nullptr where no meta kernels were asked.
struct ContractRequest {
  const reference::ContractTable& table;
  reference::Release release;
  std::vector<Declaration> declarations;
  bool only_declared = false;
  const MetaKernels* meta = nullptr;
};
// Whether an operator is among those that the request asks for. A backward belongs to whoever
// declares its forward.
bool is_asked_for(const ContractRequest& request, const std::string& op);

std::vector<OperatorFindings> compare_all(const ContractRequest& request);

}  // namespace attncheck

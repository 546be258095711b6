#pragma once

#include <string>
#include <vector>

#include "impl/contract/backend_contract.h"
#include "reference/contract_table.h"

namespace attncheck {

// What one witness says of one row of an operator: the dispatcher, a backend's declaration, the
// operator that was run here, or a release's meta kernel.
struct ContractFinding {
  enum class State { agrees, differs, not_run };
  std::string op;
  std::string what;     // "schema", "lse shape", "out dtype", "lse empty rows", ...
  std::string table;    // what the table says
  std::string witness;  // "dispatcher", "flash_cpu declares", "returned here", "meta kernel"
  std::string found;    // what it says
  State state = State::agrees;
  std::string reason;  // of not_run
};

// An operator with its row of the table.
struct OperatorFindings {
  reference::KernelContract row;
  std::vector<ContractFinding> findings;
  std::vector<Quirk> quirks;  // that the backends here declare of it
};

struct ContractReport {
  std::string version;   // attncheck's
  std::string libtorch;  // "2.11.0+cu130"
  std::string release;   // "2.11"
  std::vector<OperatorFindings> operators;
  std::vector<std::string> unchecked;  // what could not be compared at all

  int64_t count(ContractFinding::State state) const;
  // 1 where something differs, 3 where nothing was compared or something could not be at all, else
  // 0. What was not run for want of a device is told and does not count.
  int exit_code() const;
};

// For people: an operator's row with what each witness says, then every difference with operator
// and release.
std::string report_text(const ContractReport& report);

// For programs: one object with "findings", each with op, release, what, table, witness, found,
// state and reason, and "quirks", each with op, name and what.
std::string report_json(const ContractReport& report);

}  // namespace attncheck

#pragma once

#include <string>

#include "reference/contract_table.h"

namespace attncheck {

// A table as JSON, and back: `attncheck contracts --print-table` prints it, `--table` takes it.
std::string table_json(const reference::ContractTable& table);

// Throws std::invalid_argument, one line, for text that is no table or a table with a fault.
reference::ContractTable parse_table(const std::string& text);

}  // namespace attncheck

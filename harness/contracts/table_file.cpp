#include "harness/contracts/table_file.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "harness/contracts/operator_call.h"
#include "problem/suggestion.h"

namespace attncheck {
namespace {

using TableJson = nlohmann::ordered_json;
using reference::ContractTable;
using reference::KernelContract;
using reference::Release;
using reference::ReturnedTensor;

TableJson row_json(const KernelContract& row) {
  TableJson returns = TableJson::array();
  for (const ReturnedTensor& tensor : row.returns) {
    returns.push_back({{"name", tensor.name},
                       {"position", tensor.position},
                       {"shape", tensor.shape},
                       {"dtype", tensor.dtype},
                       {"memory", tensor.memory},
                       {"empty_rows", tensor.empty_rows}});
  }
  return {{"op", row.op},
          {"device", row.device},
          {"first", to_text(row.first)},
          {"last", to_text(row.last)},
          {"schema", row.schema},
          {"returns", returns},
          {"note", row.note},
          {"source", row.source}};
}

Release release_of(const TableJson& json) {
  const std::string text = json;
  const std::optional<Release> release = reference::parse_release(text);
  if (!release) throw std::invalid_argument("'" + text + "' is no release: 2.9");
  return *release;
}

// A key that is misspelt would leave out what it says.
void refuse_other_keys(const TableJson& json, const std::vector<std::string>& known) {
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    throw std::invalid_argument("unknown key '" + key + "'" + suggestion(key, known));
  }
}

ReturnedTensor returned_tensor(const TableJson& json) {
  refuse_other_keys(json, {"name", "position", "shape", "dtype", "memory", "empty_rows"});
  return {json.at("name"),  json.at("position"), json.at("shape"),
          json.at("dtype"), json.at("memory"),   json.at("empty_rows")};
}

KernelContract table_row(const TableJson& json) {
  refuse_other_keys(json, {"op", "device", "first", "last", "schema", "returns", "note", "source"});
  KernelContract row;
  row.op = json.at("op");
  row.device = json.at("device");
  row.first = release_of(json.at("first"));
  row.last = release_of(json.at("last"));
  row.schema = json.at("schema");
  for (const TableJson& tensor : json.at("returns")) row.returns.push_back(returned_tensor(tensor));
  row.note = json.at("note");
  row.source = json.at("source");
  in_dispatchers_words(row.op, row.schema);  // throws for what is no schema
  return row;
}

// "row 3 (OP, from 2.9): ", as far as the row says so.
std::string place_of(const TableJson& row, size_t index) {
  const auto text = [&](const char* key) {
    const bool has = row.is_object() && row.contains(key) && row.at(key).is_string();
    return has ? row.at(key).get<std::string>() : std::string("?");
  };
  return "row " + std::to_string(index + 1) + " (" + text("op") + ", from " + text("first") + "): ";
}

KernelContract numbered_row(const TableJson& row, size_t index) {
  try {
    return table_row(row);
  } catch (const std::exception& error) {
    throw std::invalid_argument(place_of(row, index) + error.what());
  }
}

}  // namespace

std::string table_json(const ContractTable& table) {
  TableJson json{{"contracts", TableJson::array()}};
  for (const KernelContract& row : table) json["contracts"].push_back(row_json(row));
  return json.dump(2) + "\n";
}

ContractTable parse_table(const std::string& text) {
  ContractTable table;
  try {
    const TableJson json = TableJson::parse(text);
    for (const TableJson& row : json.at("contracts")) {
      table.push_back(numbered_row(row, table.size()));
    }
  } catch (const TableJson::exception& error) {
    throw std::invalid_argument(error.what());
  }
  const std::string fault = reference::fault_of(table);
  if (!fault.empty()) throw std::invalid_argument(fault);
  return table;
}

}  // namespace attncheck
